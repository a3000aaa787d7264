package onerowtest_test

import (
	"strings"
	"testing"

	"github.com/onerow-go/onerow/onerowtest"
)

// Any text is a table, which comes back from what Text makes of it, or ends the test in one line; nothing panics or leaks.
func FuzzRecords(f *testing.F) {
	for _, text := range []string{
		"", "id:int64", "id:int64!  \"a b\":string\n1 \"x\\ty\"\n---\n| 2 | - | # two\n", "t:timestamp[us, UTC]\n2026-01-31T09:00Z\n2026-01-31\n-1",
		"l:list<struct<a:int8!,b:dict<int8,string>>>\n[{\"a\":1,\"b\":\"x\"}, null]\n[]", "f:float16 d:decimal(3,-2) x:fsb(2) r:ree<date64>\nNaN#3 1500 \"ab\" 86400001",
		"m:map<string,int8>\n[{\"key\":\"a\",\"value\":null}]\n-", "d:duration[ns] c:time32[ms] b:bool n:null\n1h2m3.5s 09:00 true -",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fake := &fakeT{}
		batches := onerowtest.Records(fake, text)
		if fake.fatal {
			if failed := fake.end(); !strings.HasPrefix(failed, "onerowtest: ") || len(fake.failures) != 1 {
				t.Fatalf("the test fails with %q", fake.failures)
			}
			return
		}
		again := onerowtest.Text(batches)
		if d := onerowtest.Diff(batches, onerowtest.Records(t, again)); d != "" {
			t.Errorf("%q is written %q:\n%s", text, again, d)
		}
		if failed := fake.end(); failed != "" {
			t.Errorf("%q: %s", text, failed)
		}
	})
}
