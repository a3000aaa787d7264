package scd2

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/keyset"
)

// HashForm says which hash of a row [RowHash] computes. The forms of other tools are for tables that hold such hashes already: they
// confuse rows that differ, see [Confusions]. CanonicalHash doesn't.
type HashForm uint8

const (
	// CanonicalHash is the first 16 bytes of SHA-256 of the row's cells, written one after the other, as fixed-size binary. Rows are
	// equal as keys are (see package onerow) if and only if the bytes that are hashed are. A cell is a tag and what follows, numbers in little-endian
	// order, signed ones in two's complement:
	//
	//	00 NULL          nothing
	//	01 boolean       1 byte: 0 or 1
	//	02 integer       8 bytes, signed: one below 2^63
	//	03 integer       8 bytes, unsigned: one from 2^63 on
	//	04 float         8 bytes: the float64 of its value; one zero, and one NaN, 7ff8000000000000
	//	05 decimal       4 bytes: the exponent e, and 1 byte: the length of the coefficient c; then c, signed, in big-endian order and as few bytes as hold
	//	                 it. The value is c × 10^e, and c doesn't end in the digit 0; zero has c = 0 (1 byte) and e = 0
	//	06 text          8 bytes: the length; then the bytes
	//	07 binary        like text
	//	08 date          8 bytes: milliseconds since 1970-01-01
	//	09 time of day   16 bytes: nanoseconds since midnight
	//	0a naive time    16 bytes: nanoseconds since 1970-01-01 00:00:00, of a timestamp without a zone
	//	0b instant       16 bytes: the same in UTC, of a timestamp with one
	//	0c duration      16 bytes: nanoseconds
	//	0d struct        8 bytes: the number of fields; then the fields, as cells
	//	0e list          8 bytes: the number of elements; then the elements, as cells
	//
	// Names of columns and fields aren't hashed, their order is. SHA-256 and not a faster hash, as rows that were made to collide would be
	// changes that nobody sees, and as every language has it.
	CanonicalHash HashForm = iota

	// SparkSHA2 is Spark's sha2(concat_ws(sep, column…), 256): 64 hexadecimal digits, as text. A cell is cast to text as Spark 3 and later do:
	// true; 7; a decimal with all digits of its scale; 2026-01-31; 2026-01-31 09:00:00.25, without zeros at the end, in the session's zone if the
	// timestamp has one; binary as it is. NULL is left out, and so is its separator. The elements of a list are joined like columns. Floats are as
	// Spark's Java prints them: 0.1, 1.0E10, NaN (see SparkFloats).
	SparkSHA2

	// SparkMD5 is Spark's md5(concat_ws(sep, column…)): 32 hexadecimal digits, as text. Cells are as in SparkSHA2.
	SparkMD5

	// SparkXXHash64 is Spark's xxhash64(column…), as int64. The seed of the first cell is 42, that of every other the hash so far: XXH64 of
	// 4 bytes for booleans, dates and integers of at most 32 bits, and float32; of 8 bytes for other integers, timestamps (their microseconds), float64 and decimals
	// of at most 18 digits (their unscaled value); of the bytes for text, binary and other decimals (the fewest bytes of the unscaled value, big-endian).
	// -0 is 0. NULL leaves the hash as it is. Structs and lists hash what is in them. Unsigned integers are those that Spark makes of them: uint8 and uint16 are of
	// 32 bits, uint32 is of 64.
	SparkXXHash64

	// DBTKey is generate_surrogate_key of the package dbt_utils: md5 of the columns as text, joined by "-", with _dbt_utils_surrogate_key_null_ for NULL: 32
	// hexadecimal digits, as text. Booleans, integers, text and dates are cast to text as all engines do: true, 7, 2026-01-31; decimals as PostgreSQL, Snowflake,
	// Redshift and Databricks do, with all digits of their scale (BigQuery leaves zeros at the end out). Floats, timestamps and other types are
	// errors: engines and their sessions print them in different ways. Cast such columns as the table's engine did, to text.
	DBTKey

	// DBTLegacyKey is DBTKey with the empty text for NULL: surrogate_key of dbt_utils before 1.0, and the variable surrogate_key_treat_nulls_as_empty_strings.
	DBTLegacyKey
)

var hashFormNames = [...]string{"canonical", "spark_sha2", "spark_md5", "spark_xxhash64", "dbt_key", "dbt_legacy_key"}

// String is the form's name: canonical, spark_sha2, spark_md5, spark_xxhash64, dbt_key, dbt_legacy_key.
func (f HashForm) String() string {
	if int(f) < len(hashFormNames) {
		return hashFormNames[f]
	}
	return fmt.Sprintf("HashForm(%d)", uint8(f))
}

// MarshalText is String, for reports in JSON.
func (f HashForm) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// SparkDecimals says how Spark cast decimals to text.
type SparkDecimals uint8

const (
	// SameDecimals: it doesn't matter. A value that the modes print differently, one below 10^-6 in size of a scale above 6, zero among them, is an error.
	SameDecimals SparkDecimals = iota
	// ScientificDecimals: 1E-7, 0E-10. So does Spark without ANSI mode, the default up to 3.5.
	ScientificDecimals
	// PlainDecimals: 0.0000001, 0.0000000000. So does Spark in ANSI mode, the default since 4.0.
	PlainDecimals
)

// SparkFloats says how Spark, that is its Java, cast floats to text.
type SparkFloats uint8

const (
	// SameFloats: it doesn't matter. A value that Javas print differently is an error: most whole numbers beyond 2^53, some 3 in 1,000 float64 and 1 in 10 float32 of arbitrary bits; no
	// amount with two decimals below 1,000,000.
	SameFloats SparkFloats = iota
	// OldJavaFloats: as Java 18 and earlier do, which may print a digit more than tells the float from others: 2.0E23 is 1.9999999999999998E23.
	OldJavaFloats
	// NewJavaFloats: as Java 19 and later do, with the fewest digits.
	NewJavaFloats
)

// HashOptions are the optional parts of [RowHash] and [Confusions].
type HashOptions struct {
	// Form says which hash it is. Default CanonicalHash.
	Form HashForm

	// Separator is the first argument of concat_ws, for SparkSHA2 and SparkMD5 alone. Default "", which confuses most.
	Separator string

	// Zone is Spark's session time zone, in which timestamps with a zone are printed, for SparkSHA2 and SparkMD5 alone. Default nil: UTC.
	Zone *time.Location

	// Decimals says how Spark cast decimals to text, for SparkSHA2 and SparkMD5 alone. Default SameDecimals.
	Decimals SparkDecimals

	// Floats says how Spark cast floats to text, for SparkSHA2 and SparkMD5 alone. Default SameFloats.
	Floats SparkFloats

	// MaxFindings is the number of texts that the report of [Confusions] lists; all are counted. Default 0: DefaultMaxFindings. Negative: none.
	MaxFindings int

	// Resources bounds what the call may use. Default: all processors, the default allocator.
	Resources onerow.Resources
}

// check lists what is wrong with the options.
func (o *HashOptions) check() []error {
	var errs []error
	if int(o.Form) >= len(hashFormNames) {
		return append(errs, fmt.Errorf("%w: Form has no value %d", onerow.ErrOption, o.Form))
	}
	if o.Decimals > PlainDecimals {
		errs = append(errs, fmt.Errorf("%w: Decimals has no value %d", onerow.ErrOption, o.Decimals))
	}
	if o.Floats > NewJavaFloats {
		errs = append(errs, fmt.Errorf("%w: Floats has no value %d", onerow.ErrOption, o.Floats))
	}
	if o.Form == SparkSHA2 || o.Form == SparkMD5 {
		return errs
	}
	for _, o := range []struct {
		name string
		set  bool
	}{{"Separator", o.Separator != ""}, {"Zone", o.Zone != nil}, {"Decimals", o.Decimals != SameDecimals}, {"Floats", o.Floats != SameFloats}} {
		if o.set {
			errs = append(errs, fmt.Errorf("%w: %s is for the forms %v and %v alone", onerow.ErrOption, o.name, SparkSHA2, SparkMD5))
		}
	}
	return errs
}

// RowHash computes a hash of each row over the named columns, in their order; a column may be named twice. Without names it is over all columns. It
// returns one array for each batch, with a hash for each row and without NULLs, of the type that the form says: fixed_size_binary(16), text, or int64.
// The caller releases the arrays.
//
// The hash is a function of the row's values, the options and, for the forms of Spark and dbt, the columns' types alone: the same on every machine and in every version, for every cut into batches and
// every encoding. Of the types, CanonicalHash hashes no more than the family: rows that are equal in other widths, scales and units have one hash.
//
// RowHash reads each cell once, those of dictionaries and runs once a value, and allocates nothing per row. Beside the arrays it needs memory for the hashed bytes of the
// dictionaries. It returns ctx.Err() soon after the context ends.
//
// A type that the form has no text or hash for is a [*onerow.TypeError], and so is a value that it has none for: a timestamp finer than a microsecond under Spark's forms. Map, union and
// interval types have no hash. What is wrong with several columns comes back together. Errors wrap [onerow.ErrNoColumn], [onerow.ErrType],
// [onerow.ErrSchema], [onerow.ErrOption], [onerow.ErrTooLarge], [onerow.ErrTooManyRows] or [onerow.ErrMalformed].
func RowHash(ctx context.Context, batches []arrow.Record, columns []string, opts HashOptions) (hashes []arrow.Array, err error) {
	err = keyset.Guard(func() error {
		j, err := newHashJob(ctx, batches, columns, opts)
		if err == nil {
			hashes, err = j.hash(ctx)
		}
		return err
	})
	return hashes, err
}
