package scd2_test

import (
	"errors"
	"fmt"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/scd2"
)

func ExampleMergeSQL() {
	target := scd2.Target{
		Name:      []string{"prod", "customers"},
		Key:       []string{"id"},
		ValidFrom: "valid_from",
		Columns:   []string{"id", "name", "valid_from", "valid_to"},
	}
	sql, err := scd2.MergeSQL(scd2.PostgreSQL, target, "staged")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sql)
	// Output:
	// MERGE INTO "prod"."customers" AS t
	// USING "staged" AS s
	// ON t."id" = s."onerow_merge_id"
	//   AND t."valid_from" = s."onerow_merge_valid_from"
	// WHEN MATCHED AND s."onerow_action" = 'remove' THEN
	//   DELETE
	// WHEN MATCHED THEN
	//   UPDATE SET
	//     "id" = s."id",
	//     "name" = s."name",
	//     "valid_from" = s."valid_from",
	//     "valid_to" = s."valid_to"
	// WHEN NOT MATCHED AND s."onerow_action" = 'insert' THEN
	//   INSERT (
	//     "id",
	//     "name",
	//     "valid_from",
	//     "valid_to"
	//   ) VALUES (
	//     s."id",
	//     s."name",
	//     s."valid_from",
	//     s."valid_to"
	//   )
}

// To DuckDB two names that differ in case are one, to Snowflake they aren't.
func ExampleMergeSQL_names() {
	target := scd2.Target{
		Name:      []string{"customers"},
		Key:       []string{"id"},
		ValidFrom: "valid_from",
		Columns:   []string{"id", "ID", "valid_from", "valid_to"},
	}
	for _, d := range []scd2.Dialect{scd2.DuckDB, scd2.Snowflake} {
		_, err := scd2.MergeSQL(d, target, "staged")
		fmt.Println(d, errors.Is(err, onerow.ErrOption), err)
	}
	// Output:
	// DuckDB true option: columns "id" and "ID" are one name to DuckDB
	// Snowflake false <nil>
}
