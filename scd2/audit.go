package scd2

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/onerow-go/onerow"
)

// Audit is what to log after each merge: what was planned, for which history, by which rules. Its JSON is made for machines.
type Audit struct {
	// Base is the caller's name of the history, as in [Options].
	Base string `json:"base,omitempty"`
	// Fingerprint identifies the content of the history that the plan was made for; see [Merge.Fingerprint].
	Fingerprint string `json:"fingerprint"`
	// Mode is "changes" or "snapshot".
	Mode string `json:"mode"`
	// Key, From and At are the key, the column that gives the positions, and the order.
	Key  []string `json:"key"`
	From string   `json:"from,omitempty"`
	At   []string `json:"at,omitempty"`
	// Now is the clock, as text; "" without.
	Now string `json:"now,omitempty"`
	// Tracked are the columns whose changes make versions, Corrected those that are corrected in place, Kept those that the source lacks.
	Tracked   []string `json:"tracked"`
	Corrected []string `json:"corrected,omitempty"`
	Kept      []string `json:"kept,omitempty"`
	// Added are the columns that come new.
	Added []string `json:"added,omitempty"`
	// Rules are the options that aren't at their default, by name.
	Rules map[string]string `json:"rules,omitempty"`
	// Report has the counts.
	Report Report `json:"report"`
	// Empty says that nothing changes.
	Empty bool `json:"empty"`
}

// Audit gives the record of this plan. It reads the history once, for its fingerprint.
func (m *Merge) Audit(ctx context.Context) (Audit, error) {
	a := Audit{}
	var err error
	if a.Fingerprint, err = m.Fingerprint(ctx); err != nil {
		return a, err
	}
	j := m.job
	a.Base, a.Key, a.From, a.Report, a.Empty = j.opts.Base, j.table.Key, j.opts.From, m.Report, m.Empty()
	a.Mode = map[Mode]string{Changes: "changes", Snapshot: "snapshot"}[j.opts.Mode]
	for _, o := range j.opts.At {
		a.At = append(a.At, orderText(o))
	}
	if j.opts.Now != nil {
		a.Now = textOf(j.opts.Now)
	}
	for i := range j.columns {
		c := &j.columns[i]
		switch {
		case c.role != valueRole:
			continue
		case c.slot == otherTracked || c.slot == otherUntracked:
			a.Kept = append(a.Kept, c.field.Name)
		case j.tracks[c.slot]:
			a.Tracked = append(a.Tracked, c.field.Name)
		default:
			a.Corrected = append(a.Corrected, c.field.Name)
		}
		if !j.history.Has(c.field.Name) {
			a.Added = append(a.Added, c.field.Name)
		}
	}
	a.Rules = j.opts.rules()
	return a, nil
}

// LogValue makes the record a group, with the report as a group in it.
func (a Audit) LogValue() slog.Value {
	return slog.GroupValue(slog.String("base", a.Base), slog.String("fingerprint", a.Fingerprint), slog.String("mode", a.Mode),
		slog.Bool("empty", a.Empty), slog.Any("report", a.Report))
}

func orderText(o onerow.Order) string {
	s := o.Column
	if o.Ascending {
		s += " asc"
	}
	return s + []string{"", " nulls lowest", " nulls highest"}[o.Nulls]
}

// rules names the options that aren't at their default.
func (o *Options) rules() map[string]string {
	rules := map[string]string{}
	add := func(name string, i uint8, names ...string) {
		if i > 0 {
			rules[name] = names[i-1]
		}
	}
	add("late", uint8(o.Late), "ignore", "reject")
	add("unchanged", uint8(o.Unchanged), "keep")
	add("deletes", uint8(o.Deletes), "row")
	add("ties", uint8(o.Ties), "content", "set_aside")
	add("absent", uint8(o.Absent), "close", "keep")
	add("null_key", uint8(o.NullKey), "equal", "set_aside")
	add("missing", uint8(o.Columns.Missing), "keep", "null")
	add("new", uint8(o.Columns.New), "add")
	if o.Columns.Group {
		rules["group"] = "true"
	}
	if len(o.Columns.KeepNull) > 0 {
		rules["keep_null"] = strings.Join(o.Columns.KeepNull, ",")
	}
	if o.Absent == AbsentCloses {
		rules["max_close"] = textOf(o.MaxClose)
	}
	if o.AllowEmpty {
		rules["allow_empty"] = "true"
	}
	if o.RequireChange {
		rules["require_change"] = "true"
	}
	if o.Since != nil {
		rules["since"] = textOf(o.Since)
	}
	if len(o.State) > 0 {
		rules["state"] = "given"
	}
	return rules
}

// textOf writes an option's value.
func textOf(v onerow.Value) string {
	if t, ok := v.(time.Time); ok {
		return t.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v)
}
