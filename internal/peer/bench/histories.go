package bench

import (
	"context"
	"math/rand/v2"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/onerow-go/onerow"
	"github.com/onerow-go/onerow/internal/peer/duck"
	"github.com/onerow-go/onerow/scd2"
)

func historyWorkloads() []workload {
	return []workload{
		{"S1", "scd2", "scd2-current", 1_000_000, current},
		{"S2", "scd2", "scd2-history", 5_000_000, past},
		{"R1", "ranges", "ranges", 10_000_000, ranges},
	}
}

// trackedNames are the columns of S1: three texts, an int64, a float64, a bool, a date, an int32.
var trackedNames = []string{"name", "city", "segment", "visits", "score", "active", "born", "level"}

// trackedColumns collects rows of them.
type trackedColumns struct {
	name, city, segment *textData
	visits              []int64
	score               []float64
	active              []bool
	born, level         []int32
}

func newTracked(n int) *trackedColumns {
	return &trackedColumns{name: newTexts(n, 16), city: newTexts(n, 10), segment: newTexts(n, 6)}
}

// add gives a customer its values; another version differs in one of them.
func (t *trackedColumns) add(key, version int) {
	r := uint64(spread(key))*0x9e3779b97f4a7c15 + 12345
	t.name.bytes = append(t.name.bytes, "customer "...)
	t.name.digits(int(r>>40), 8)
	t.name.end()
	t.city.bytes = append(t.city.bytes, "city "...)
	t.city.digits(int(r>>20&0xfff), 4)
	t.city.end()
	t.segment.add([]string{"gold", "silver", "bronze", "none"}[r>>10&3])
	t.visits = append(t.visits, int64(r>>8&0xffff)+int64(version))
	t.score = append(t.score, float64(r>>12&0xffff)/7)
	t.active = append(t.active, r>>3&1 == 0)
	t.born = append(t.born, int32(r>>50))
	t.level = append(t.level, int32(r>>33&0xff))
}

func (t *trackedColumns) columns() []column {
	return []column{t.name.column("name"), t.city.column("city"), t.segment.column("segment"), int64s("visits", t.visits), float64s("score", t.score),
		bools("active", t.active), dates("born", t.born), int32s("level", t.level)}
}

// current has a history of open versions, and three quarters as many changes, of which a third each is changed, unchanged, new.
func current(rows int) task {
	rng := rand.New(rand.NewPCG(7, 8))
	quarter := rows / 4
	keys := rng.Perm(rows + quarter)
	id, from, to, values := make([]int64, rows), make([]int64, rows), make([]int64, rows), newTracked(rows)
	for i, k := range keys[:rows] {
		id[i], from[i], to[i] = spread(k), 1_000_000, -1
		values.add(k, 0)
	}
	h := table(append([]column{int64s("id", id), times("valid_from", from), ends(to)}, values.columns()...)...)
	cid, at, cvalues := make([]int64, 3*quarter), make([]int64, 3*quarter), newTracked(3*quarter)
	for i, n := range rng.Perm(3 * quarter) {
		k, version := keys[rows-2*quarter+n], 0
		if n < quarter {
			version = 1
		}
		cid[i], at[i] = spread(k), int64(2_000_000+i)
		cvalues.add(k, version)
	}
	c := table(append([]column{int64s("id", cid), times("ts", at)}, cvalues.columns()...)...)
	return task{
		rows: rows + 3*quarter, keys: rows + quarter, tables: map[string]arrow.Record{"h": h, "c": c}, forms: currentForms(),
		ours: func(ctx context.Context, workers int) (result, error) {
			m, err := scd2.Plan(ctx, scd2.Table{Batches: []arrow.Record{h}, Key: []string{"id"}}, []arrow.Record{c},
				scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("ts")}, Resources: onerow.Resources{Workers: workers}})
			if err != nil {
				return result{}, err
			}
			staged, err := m.Staged(ctx, memory.DefaultAllocator)
			if err != nil {
				return result{}, err
			}
			return recordsResult(func() (figures, error) { return stagedFigures(staged) }, staged), nil
		},
	}
}

var (
	insertColumns = append([]string{"id", "valid_from"}, trackedNames...)
	expireColumns = []string{"id", "valid_from", "valid_to"}
)

func stagedFigures(staged arrow.Record) (figures, error) {
	recs, actions := []arrow.Record{staged}, staged.Column(0)
	text, err := cellText(actions)
	if err != nil {
		return nil, err
	}
	out, err := rowFigures("insert", recs, insertColumns, func(_ arrow.Record, row int) bool { return text(row) == scd2.ActionInsert })
	if err != nil {
		return nil, err
	}
	expire, err := rowFigures("expire", recs, expireColumns, func(_ arrow.Record, row int) bool { return text(row) == scd2.ActionClose })
	return out.with(expire), err
}

// currentForms find the rows to expire and to insert, as two tables. An anti join by all columns, and rowids that are joined back, were no faster.
func currentForms() []form {
	var differs, values []string
	for _, c := range trackedNames {
		differs = append(differs, "c."+c+" IS DISTINCT FROM h."+c)
		values = append(values, "c."+c)
	}
	const (
		expire = "CREATE OR REPLACE TEMP TABLE expire AS SELECT "
		insert = "; CREATE OR REPLACE TEMP TABLE ins AS SELECT "
	)
	matched, all := strings.Join(differs, " OR "), strings.Join(values, ", ")
	read := func(ctx context.Context, db *duck.DB) (figures, error) {
		out, err := tableFigures(ctx, db, "insert", "ins", insertColumns)
		if err != nil {
			return nil, err
		}
		e, err := tableFigures(ctx, db, "expire", "expire", expireColumns)
		return out.with(e), err
	}
	row := "(" + all + ") IS DISTINCT FROM (" + strings.ReplaceAll(all, "c.", "h.") + ")"
	both := []string{"expire", "ins"}
	staged := func(differs string) string {
		return "CREATE OR REPLACE TEMP TABLE staged AS SELECT c.*, h.valid_from AS old FROM c LEFT JOIN h ON c.id = h.id AND h.valid_to IS NULL " +
			"WHERE h.id IS NULL OR " + differs + "; " + expire + "id, old AS valid_from, ts AS valid_to FROM staged WHERE old IS NOT NULL" +
			insert + "id, " + strings.Join(trackedNames, ", ") + ", ts AS valid_from, NULL::TIMESTAMP AS valid_to FROM staged"
	}
	const open = "(SELECT * FROM h WHERE valid_to IS NULL) h"
	return []form{
		{"two joins", expire + "c.id, h.valid_from, c.ts AS valid_to FROM c JOIN " + open + " USING (id) WHERE " + matched +
			insert + "c.id, " + all + ", c.ts AS valid_from, NULL::TIMESTAMP AS valid_to FROM c LEFT JOIN " + open + " ON c.id = h.id WHERE h.id IS NULL OR " + matched,
			both, read},
		{"one join, staged", staged("(" + matched + ")"), append([]string{"staged"}, both...), read},
		{"one join, staged, row", staged(row), append([]string{"staged"}, both...), read},
	}
}

// past has five versions a key, and a fifth as many events, of which 30 in 100 are late, 5 deletes, 10 repeats. No two positions are equal.
func past(rows int) task {
	const per = 5
	rng := rand.New(rand.NewPCG(9, 10))
	keys, events := max(1, rows/per), max(1, rows/per)
	step := int64(events+1) * 1000
	id, value, from, to, note := make([]int64, keys*per), make([]int64, keys*per), make([]int64, keys*per), make([]int64, keys*per), newTexts(keys*per, 9)
	for i := range keys * per {
		v, k := i/keys, i%keys
		id[i], value[i], from[i], to[i] = spread(k), int64(v), int64(v+1)*step, int64(v+2)*step
		if v == per-1 {
			to[i] = -1
		}
		note.bytes = append(note.bytes, "note "...)
		note.digits(k%1000, 4)
		note.end()
	}
	h := table(int64s("id", id), int64s("value", value), note.column("note"), times("valid_from", from), ends(to))
	cid, cvalue, at, op, cnote := make([]int64, events), make([]int64, events), make([]int64, events), newTexts(events, 1), newTexts(events, 9)
	for i := range events {
		k := rng.IntN(keys)
		cid[i], cvalue[i], at[i] = spread(k), int64(100+i), (per+1)*step+1000*rng.Int64N(int64(events))
		kind := "u"
		switch p := rng.IntN(100); {
		case p < 30:
			at[i] = step + 1000*rng.Int64N(per*int64(events+1))
		case p < 35:
			kind = "d"
		case p < 45:
			cvalue[i] = per - 1
		}
		at[i] += int64(1 + i%999) // beside the starts
		op.add(kind)
		cnote.bytes = append(cnote.bytes, "note "...)
		cnote.digits(k%1000, 4)
		cnote.end()
	}
	c := table(int64s("id", cid), times("ts", at), op.column("op"), int64s("value", cvalue), cnote.column("note"))
	return task{
		rows: keys*per + events, keys: keys, tables: map[string]arrow.Record{"h": h, "c": c}, forms: pastForms(),
		ours: func(ctx context.Context, workers int) (result, error) {
			m, err := scd2.Plan(ctx, scd2.Table{Batches: []arrow.Record{h}, Key: []string{"id"}}, []arrow.Record{c},
				scd2.Options{Mode: scd2.Changes, At: []onerow.Order{onerow.Desc("ts")}, Op: scd2.Op{Column: "op", Delete: []onerow.Value{"d"}},
					Ties: scd2.TiesByContent, Resources: onerow.Resources{Workers: workers}})
			if err != nil {
				return result{}, err
			}
			next, err := m.Apply(ctx, memory.DefaultAllocator, []arrow.Record{h})
			if err != nil {
				return result{}, err
			}
			return recordsResult(func() (figures, error) { return rowFigures("history", next, pastColumns, nil) }, next...), nil
		},
	}
}

var pastColumns = []string{"id", "value", "note", "valid_from", "valid_to"}

// pastForms rebuild the versions of the keys that have events: starts, ends without a start, and events in one list; of each position the
// last; what repeats its neighbour goes; each lasts until the next. The others stay. The last of each position by GROUP BY took longer than by a window.
func pastForms() []form {
	const rebuilt = `
WITH points AS (
  SELECT id, value, note, valid_from AS ts, false AS gone, 0 AS pri FROM hist
  UNION ALL
  SELECT id, NULL, NULL, valid_to, true, -1 FROM hist WHERE valid_to IS NOT NULL
  UNION ALL
  SELECT id, value, note, ts, op = 'd', 1 FROM c
), placed AS (
  SELECT * FROM points QUALIFY ts IS DISTINCT FROM lead(ts) OVER (PARTITION BY id ORDER BY ts, pri, gone, value, note)
), told AS (
  SELECT *, lag(gone) OVER w AS was_gone, lag(value) OVER w AS old_value, lag(note) OVER w AS old_note FROM placed WINDOW w AS (PARTITION BY id ORDER BY ts)
), made AS (
  SELECT * FROM told
  WHERE was_gone IS NULL AND NOT gone OR was_gone IS DISTINCT FROM gone AND was_gone IS NOT NULL
     OR NOT gone AND (value IS DISTINCT FROM old_value OR note IS DISTINCT FROM old_note)
), versions AS (
  SELECT id, value, note, ts AS valid_from, lead(ts) OVER (PARTITION BY id ORDER BY ts) AS valid_to, gone FROM made
)
SELECT id, value, note, valid_from, valid_to FROM versions WHERE NOT gone`
	read := func(ctx context.Context, db *duck.DB) (figures, error) {
		return tableFigures(ctx, db, "history", "next", pastColumns)
	}
	const into = "CREATE OR REPLACE TEMP TABLE next AS "
	touched := strings.Replace(rebuilt, "WITH", "WITH hist AS (SELECT * FROM h WHERE id IN (SELECT id FROM c)),", 1)
	semi := strings.Replace(rebuilt, "WITH", "WITH hist AS (SELECT * FROM h SEMI JOIN c USING (id)),", 1)
	all := strings.Replace(rebuilt, "WITH", "WITH hist AS (SELECT * FROM h),", 1)
	return []form{
		{"rebuild of touched keys", into + touched + " UNION ALL SELECT id, value, note, valid_from, valid_to FROM h WHERE id NOT IN (SELECT id FROM c)", []string{"next"}, read},
		{"rebuild of touched keys, semi and anti join", into + semi + " UNION ALL SELECT id, value, note, valid_from, valid_to FROM h ANTI JOIN c USING (id)", []string{"next"}, read},
		{"rebuild of all keys", into + all, []string{"next"}, read},
	}
}
