package dedupe_test

import (
	"errors"
	"os"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/dedupe"
	"github.com/onerow-go/onerow/internal/arrowtest"
)

// TestReaderHostile gives hostile arrays to streams, in every role, with and without files: an error that says so, or an answer; never a panic, and nothing is
// left.
func TestReaderHostile(t *testing.T) {
	defer dedupe.SetLeastRoom(1)()
	for name, h := range hostile() {
		t.Run(name, func(t *testing.T) {
			rec := beside(t, h.data)
			for role, call := range map[string]struct {
				key, order string
				ties       dedupe.Ties
				seen       bool // the call reads all of the array
			}{
				"key":             {"bad", "n", dedupe.RejectTies, true},
				"order":           {"one", "bad", dedupe.RejectTies, true},
				"content":         {"n", "one", dedupe.LastTied, true},
				"content of ties": {"one", "one", dedupe.TiesByContent, true},
				"set aside":       {"one", "one", dedupe.SetAsideTies, true},
			} {
				for _, budget := range []int64{0, 1, 5000} {
					mem, dir := arrowtest.Allocator(t), t.TempDir()
					panicked, err := catch(func() error {
						in, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec, rec, rec})
						if err != nil {
							return err
						}
						defer in.Release()
						r, err := dedupe.NewReader(t.Context(), in, []string{call.key}, []onerow.Order{onerow.Desc(call.order)}, dedupe.Options{NullKey: onerow.SetAsideNullKeys,
							Ties: call.ties, Resources: onerow.Resources{Memory: budget, Workers: 2, Allocator: mem, Dir: dir}})
						if err != nil {
							return err
						}
						defer r.Release()
						for r.Next() || r.SetAside().Next() {
							continue
						}
						return errors.Join(r.Err(), r.SetAside().Err())
					})
					switch {
					case panicked != nil:
						t.Errorf("%s, %d bytes: panic: %v", role, budget, panicked)
					case err == nil && call.seen && h.seen:
						t.Errorf("%s, %d bytes: no error", role, budget)
					case err != nil && !errors.Is(err, onerow.ErrMalformed) && (role != "order" || !errors.Is(err, onerow.ErrType) && !errors.Is(err, onerow.ErrNullOrder)):
						t.Errorf("%s, %d bytes: %v", role, budget, err)
					}
					if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
						t.Errorf("%s, %d bytes: %v is left, error %v", role, budget, left, err)
					}
				}
			}
		})
	}
}
