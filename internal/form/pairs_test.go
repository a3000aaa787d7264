package form_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/onerow-go/onerow/internal/arrowtest"
	"github.com/onerow-go/onerow/internal/form"
	"github.com/onerow-go/onerow/internal/frame"
	"github.com/onerow-go/onerow/internal/oracle"
)

type pairSource struct{ *rand.Rand }

func (r pairSource) Choose(_ string, n int) int { return r.IntN(n) }

// TestSamePairs: pairs are equal as Compare says, for all types, cuts and encodings; pairs known to differ stay so.
func TestSamePairs(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			src := pairSource{rand.New(rand.NewPCG(seed, 11))}
			mem := arrowtest.Allocator(t)
			s := oracle.ChooseSample(src, "value", false)
			rows := make([][]any, 1+src.IntN(40))
			for i := range rows {
				rows[i] = []any{s.ChooseCell(src, "cell", 4)}
			}
			batches := arrowtest.Table(t, mem, []string{"v:" + s.ChooseType(src, "type")}, rows)
			variants := arrowtest.Variants(mem, batches)
			defer variants.Release()
			for _, v := range variants {
				f, err := frame.New("batches", v.Batches)
				if err != nil {
					t.Fatal(err)
				}
				tab, err := frame.NewTable(frame.Part{Frame: f})
				if err != nil {
					t.Fatal(err)
				}
				c, err := tab.Column("v", nil)
				if err != nil {
					t.Fatal(err)
				}
				var as, bs []uint32
				var same []bool
				for range 300 {
					as, bs = append(as, src.Uint32N(c.Rows())), append(bs, src.Uint32N(c.Rows()))
					same = append(same, src.IntN(8) > 0)
				}
				want := make([]bool, len(same))
				for k := range want {
					want[k] = same[k] && c.Compare(as[k], bs[k], form.ByValue) == 0
				}
				c.SamePairs(as, bs, same)
				for k := range want {
					if same[k] != want[k] {
						t.Fatalf("%s: %s and %s: %v", v.Name, c.Format(as[k]), c.Format(bs[k]), same[k])
					}
				}
			}
		})
	}
}
