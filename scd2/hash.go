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
// take rows that differ for each other, see [Confusions]. CanonicalHash doesn't.
type HashForm uint8

const (
	// CanonicalHash is the first 16 bytes of SHA-256 of the row's cells, written one after the other, as fixed-size binary. The bytes of
	// two rows are equal if and only if the rows are, as keys are equal (see package onerow). A cell is a tag and what follows it; numbers
	// are in little-endian order, signed ones in two's complement:
	//
	//	00 NULL          nothing
	//	01 boolean       1 byte: 0 or 1
	//	02 integer       8 bytes, signed: one below 2^63
	//	03 integer       8 bytes, unsigned: one from 2^63 on
	//	04 float         8 bytes: the float64 of its value; zero is 0, and NaN 7ff8000000000000
	//	05 decimal       4 bytes, signed: the exponent e; 1 byte: the length of the coefficient c; then c, signed, in big-endian
	//	                 order and as few bytes as hold it, at least one. The value is c × 10^e; c ends in no 0, but for zero: c and e are 0
	//	06 text          8 bytes: the length; then the bytes
	//	07 binary        the same
	//	08 date          8 bytes, signed: milliseconds since 1970-01-01
	//	09 time of day   16 bytes, signed: nanoseconds since midnight
	//	0a naive time    16 bytes, signed: nanoseconds since 1970-01-01 00:00:00, of a timestamp without a zone
	//	0b instant       16 bytes, signed: the same in UTC, of a timestamp with one
	//	0c duration      16 bytes, signed: nanoseconds
	//	0d struct        8 bytes: the number of fields; then the fields, as cells
	//	0e list          8 bytes: the number of elements; then the elements, as cells
	//
	// Names of columns and fields aren't hashed, their order is. The hash is SHA-256, and not a faster one, as rows that were made to
	// collide would be changes that nobody sees, and as every language has it.
	CanonicalHash HashForm = iota

	// SparkSHA2 is Spark's sha2(concat_ws(sep, column…), 256): 64 hexadecimal digits, as text. A cell is cast to text as Spark 3 and later
	// do: true; 7; a decimal with all digits of its scale (see [SparkDecimals]); a float as Java prints it (see [SparkFloats]);
	// 2026-01-31; 2026-01-31 09:00:00.25 without zeros at the end, in the session's zone if the timestamp has one; binary as it is. NULL is
	// left out, with its separator. The elements of a list are joined like columns.
	SparkSHA2

	// SparkMD5 is Spark's md5(concat_ws(sep, column…)): 32 hexadecimal digits, as text. Cells are as in SparkSHA2.
	SparkMD5

	// SparkXXHash64 is Spark's xxhash64(column…), as int64. The seed of the first value is 42, that of every other the hash so far. It is XXH64
	// of 4 bytes for booleans, dates, float32 and integers of at most 32 bits; of 8 bytes for int64, uint32, float64, timestamps (their
	// microseconds) and decimals of at most 18 digits (their unscaled value); of the bytes for text, binary and other decimals (the
	// unscaled value in as few bytes as hold it, big-endian). -0 is 0. NULL leaves the hash as it is. Of structs and lists, it is what
	// is in them that is hashed. Unsigned integers are what Spark reads them as from Parquet: uint32 is of 64 bits, narrower
	// ones are of 32; uint64 is an error, as it may be a decimal there or have been cast.
	SparkXXHash64

	// DBTKey is generate_surrogate_key of the package dbt_utils: md5 of the columns as text, joined by "-", with
	// _dbt_utils_surrogate_key_null_ for NULL: 32 hexadecimal digits, as text. Booleans, integers, text and dates are cast to text as all engines do:
	// true, 7, 2026-01-31; decimals as PostgreSQL, Snowflake, Redshift and Databricks do, with all digits of their scale (BigQuery
	// leaves zeros at the end out). Floats, timestamps and other types are errors: engines and their settings print them in different
	// ways. Cast such columns to text as the table's engine did.
	DBTKey

	// DBTLegacyKey is DBTKey with the empty text for NULL: surrogate_key of dbt_utils before 1.0, and generate_surrogate_key under the
	// variable surrogate_key_treat_nulls_as_empty_strings.
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
	// SameDecimals refuses values that Spark prints in different ways with and without ANSI mode: those below 10^-6 in size with a scale
	// above 6, zero among them.
	SameDecimals SparkDecimals = iota
	// ScientificDecimals prints them as 1E-7 and 0E-10: without ANSI mode, as is the default up to Spark 3.5.
	ScientificDecimals
	// PlainDecimals prints them as 0.0000001 and 0.0000000000: in ANSI mode, as is the default since Spark 4.0.
	PlainDecimals
)

// SparkFloats says how Spark, that is its Java, cast floats to text.
type SparkFloats uint8

const (
	// SameFloats refuses values that older and newer Javas print in different ways: most whole numbers beyond 2^53, and of other numbers
	// with all their digits some 3 in 1,000 float64 and 1 in 10 float32. Amounts with two decimals below 1,000,000 aren't among them, as float64.
	SameFloats SparkFloats = iota
	// OldJavaFloats prints them as Java 8 to 18 do, at times with more digits than tell a float from others: 2.0E23 is
	// 1.9999999999999998E23.
	OldJavaFloats
	// NewJavaFloats prints them as Java 19 and later do, with the fewest digits.
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

// RowHash computes a hash of each row over the named columns, in their order; a column may be named twice. Without names it is over all
// columns. It returns one array for each batch, with a hash for each row and without NULLs, of the type that the form says:
// fixed_size_binary(16), text or int64. The caller releases the arrays.
//
// The hash is a function of the row's values and the options, and for the forms of other tools of the columns' types, alone: the same on
// every machine and in every version, for every cut into batches and every encoding.
//
// RowHash reads each cell once, those of dictionaries and runs once a value, and allocates nothing per row. Beside the arrays it needs memory
// for what is hashed of the values of dictionaries. It returns ctx.Err() soon after the context ends.
//
// A column of a type that the form has no hash for is a [*onerow.TypeError], and so is a value that it has none for, such as a timestamp
// finer than a microsecond under Spark's forms; of several such values the first row's is told. No form hashes maps, unions and intervals. What
// is wrong with several columns comes back together. Errors wrap [onerow.ErrNoColumn], [onerow.ErrType], [onerow.ErrSchema],
// [onerow.ErrOption], [onerow.ErrTooLarge] (more than 2^31-1 bytes of hashes as text for one batch), [onerow.ErrTooManyRows] or
// [onerow.ErrMalformed].
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
