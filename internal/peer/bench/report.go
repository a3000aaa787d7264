package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/onerow-go/onerow/internal/peer/duck"
)

// Record is what is known of one workload: a record of the JSON.
type Record struct {
	Workload string `json:"workload"`
	// What names the workload in words.
	What    string `json:"what"`
	Threads int    `json:"threads"`
	Rows    int    `json:"rows"`
	Keys    int    `json:"keys"`
	// OursS and PeerS are medians of the runs; in B1 the medians of calls.
	OursS float64 `json:"ours_s"`
	// Peer is the form of DuckDB's that was the fastest; "" in C1, where DuckDB has no part, and in O1 if none came to an end: its other figures are 0.
	Peer  string  `json:"peer"`
	PeerS float64 `json:"peer_s"`
	// Ratio is the median of the runs' ratios of DuckDB's time to ours.
	Ratio    float64 `json:"ratio"`
	RatioMin float64 `json:"ratio_min"`
	RatioMax float64 `json:"ratio_max"`
	NSPerRow float64 `json:"ns_per_row"`
	// Plain is the fastest of the plain forms in the warm-up, PlainS the better of its two runs there, PlainRatio that over OursS.
	Plain      string  `json:"plain,omitempty"`
	PlainS     float64 `json:"plain_s,omitempty"`
	PlainRatio float64 `json:"plain_ratio,omitempty"`
	// PeakMiB and PeerPeakMiB are peaks over the input, output included; 0 where they weren't measured.
	PeakMiB     float64 `json:"peak_mib,omitempty"`
	PeerPeakMiB float64 `json:"peer_peak_mib,omitempty"`
	// Objects is the number of objects that our call allocated, where memory was measured.
	Objects int64 `json:"objects,omitempty"`
	// Checked says that both sides gave the same result; in C1, that ours is a model's; in O1, that both are.
	Checked bool `json:"checked"`

	// P50S and P99S are what half of B1's calls take at most, and 99 of a hundred: medians of the runs.
	P50S     float64 `json:"p50_s,omitempty"`
	PeerP50S float64 `json:"peer_p50_s,omitempty"`
	P99S     float64 `json:"p99_s,omitempty"`
	PeerP99S float64 `json:"peer_p99_s,omitempty"`
	// OneWorkerS, FloorS and GoMapS are medians of what was measured beside.
	OneWorkerS float64 `json:"one_worker_s,omitempty"`
	FloorS     float64 `json:"floor_s,omitempty"`
	GoMapS     float64 `json:"go_map_s,omitempty"`
	// Forms has the better of two runs of each form in the warm-up, in seconds; in O1 the one run. FailedForms says why forms of O1 came to no end.
	Forms       map[string]float64 `json:"forms,omitempty"`
	FailedForms map[string]string  `json:"failed_forms,omitempty"`

	// BudgetMiB and PeerBudgetMiB are what O1 may take; PeakMiB and PeerPeakMiB are the greatest of the runs there.
	BudgetMiB     float64 `json:"budget_mib,omitempty"`
	PeerBudgetMiB float64 `json:"peer_budget_mib,omitempty"`
	// ProcessMiB and PeerProcessMiB are the peaks of O1's processes, what they had before included.
	ProcessMiB     float64 `json:"process_mib,omitempty"`
	PeerProcessMiB float64 `json:"peer_process_mib,omitempty"`
	// WrittenMiB and PeerWrittenMiB are what went to files in O1, the output included; 0 where the system doesn't say.
	WrittenMiB     float64 `json:"written_mib,omitempty"`
	PeerWrittenMiB float64 `json:"peer_written_mib,omitempty"`
	// GenerateS is the time to make O1's stream, which ours and the forms that read it include; InputS is DuckDB's to make a Parquet file of the
	// stream, which no form includes.
	GenerateS float64 `json:"generate_s,omitempty"`
	InputS    float64 `json:"input_s,omitempty"`
}

// Machine says what the figures were taken on, in one line.
func Machine(ctx context.Context) (string, error) {
	db, err := duck.Open(ctx, 1)
	if err != nil {
		return "", err
	}
	var version string
	err = db.Row(ctx, "SELECT version()", &version)
	if err = errors.Join(err, db.Close()); err != nil {
		return "", err
	}
	model := runtime.GOARCH
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, line, found := strings.Cut(string(info), "model name"); found {
			model, _, _ = strings.Cut(strings.TrimLeft(line, "\t :"), "\n")
		}
	}
	return fmt.Sprintf("%s; DuckDB %s, %s; %d processors, %s; %s", time.Now().Format(time.DateOnly), version, runtime.Version(), runtime.NumCPU(), model, runtime.GOOS), nil
}

// Verdict is a bar, and whether it was reached.
type Verdict struct {
	What string
	// Value is what was seen, Bar what is needed, Aim where the field ends, as text.
	Value, Bar, Aim string
	Pass            bool
}

func (v Verdict) String() string {
	word := "FAIL"
	if v.Pass {
		word = "PASS"
	}
	text := fmt.Sprintf("%s  %s: %s, needed %s", word, v.What, v.Value, v.Bar)
	if v.Aim != "" {
		text += ", aim " + v.Aim
	}
	return text
}

// WriteTable prints records as a table, with the form of DuckDB's that won, and notes below it: yardsticks, latencies, what peaks are.
func WriteTable(w io.Writer, records []Record) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "workload\trows\tkeys\tours\tDuckDB\tratio\tmin\tmax\tns/row\tpeak MiB\tDuckDB MiB\tsame\t form\tplain\tratio\t form\t")
	for _, r := range records {
		known := func(format string, v float64) string {
			if v == 0 {
				return "-"
			}
			return fmt.Sprintf(format, v)
		}
		peer, form, plain := seconds(r.PeerS), r.Peer, r.Plain
		if form == "" {
			peer, form = "-", "-"
		}
		if plain == "" {
			plain = "-"
		}
		fmt.Fprintf(tab, "%s %s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%.1f\t%s\t%s\t%t\t %s\t%s\t%s\t %s\t\n", r.Workload, r.What, r.Rows, r.Keys, seconds(r.OursS), peer,
			known("%.2f", r.Ratio), known("%.2f", r.RatioMin), known("%.2f", r.RatioMax), r.NSPerRow, known("%.0f", r.PeakMiB), known("%.0f", r.PeerPeakMiB), r.Checked, form,
			seconds(r.PlainS), known("%.2f", r.PlainRatio), plain)
	}
	tab.Flush()
	fmt.Fprintln(w)
	for _, r := range records {
		var beside []string
		if r.FloorS > 0 {
			beside = append(beside, fmt.Sprintf("floor %s, ours/floor %.1f", seconds(r.FloorS), r.OursS/r.FloorS))
		}
		if r.GoMapS > 0 {
			beside = append(beside, fmt.Sprintf("go map %s, map/ours %.1f", seconds(r.GoMapS), r.GoMapS/r.OursS))
		}
		if r.OneWorkerS > 0 {
			beside = append(beside, "one worker "+seconds(r.OneWorkerS))
		}
		if r.P99S > 0 {
			beside = append(beside, fmt.Sprintf("p50 %s, p99 %s; DuckDB p50 %s, p99 %s; p99 ratio %.2f", seconds(r.P50S), seconds(r.P99S),
				seconds(r.PeerP50S), seconds(r.PeerP99S), r.PeerP99S/r.P99S))
		}
		if r.Objects > 0 {
			beside = append(beside, fmt.Sprintf("%d objects", r.Objects))
		}
		if r.BudgetMiB > 0 {
			beside = append(beside, fmt.Sprintf("budget %.4g MiB, process %.0f, written %.0f; DuckDB %.4g MiB, process %.0f, written %.0f; the stream alone %s, its Parquet file %s",
				r.BudgetMiB, r.ProcessMiB, r.WrittenMiB, r.PeerBudgetMiB, r.PeerProcessMiB, r.PeerWrittenMiB, seconds(r.GenerateS), seconds(r.InputS)))
			if form := r.fromStream(); form != "" {
				beside = append(beside, fmt.Sprintf("DuckDB from the stream itself %s (%s)", seconds(r.Forms[form]), form))
			}
		}
		if len(beside) > 0 {
			fmt.Fprintf(w, "%s  %s\n", r.Workload, strings.Join(beside, "; "))
		}
	}
	if slices.ContainsFunc(records, func(r Record) bool { return r.PeakMiB > 0 && r.BudgetMiB == 0 }) {
		fmt.Fprintln(w, peakMeans)
	}
	if slices.ContainsFunc(records, func(r Record) bool { return r.BudgetMiB > 0 }) {
		fmt.Fprintln(w, streamMeans)
	}
}

// fromStream is the fastest of O1's forms that reads what we read; "" if there is none.
func (rec Record) fromStream() string {
	of := maps.Clone(rec.Forms)
	maps.DeleteFunc(of, func(name string, _ float64) bool { return !strings.HasSuffix(name, ofStream) })
	return fastest(of)
}

// streamMeans says under the table what O1 is.
const streamMeans = "O1: at most 3 runs of each side, in processes of their own, without a warm-up; each of DuckDB's forms once, to choose. Ours: the stream in,\n" +
	"a file of Arrow IPC out; DuckDB: the stream or a Parquet file in, made before the clock starts, a Parquet file out. Peaks are the greatest of the runs:\n" +
	"over what the process had before, and of the process. Written is what went to files, the output included."

// peakMeans says under the table what its peaks are.
const peakMeans = "Peaks: a process for each workload and side makes one call, its first; the greatest resident size (VmHWM) while it runs, less that before it (VmRSS)\n" +
	"with the input loaded, so what the call takes over its input, output and garbage included. Objects are those that this call allocates."

// WriteForms prints the warm-up time of each form of DuckDB's.
func WriteForms(w io.Writer, records []Record) {
	for _, r := range records {
		if len(r.Forms)+len(r.FailedForms) == 0 {
			continue
		}
		names := make([]string, 0, len(r.Forms))
		for name := range r.Forms {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int {
			if r.Forms[a] < r.Forms[b] {
				return -1
			}
			return 1
		})
		for i, name := range names {
			names[i] = fmt.Sprintf("%s %s", name, seconds(r.Forms[name]))
		}
		runs := "better of two"
		if r.Workload == outOfCoreID {
			runs = "one run"
		}
		fmt.Fprintf(w, "%s  DuckDB, %s: %s\n", r.Workload, runs, strings.Join(names, "; "))
		for _, name := range slices.Sorted(maps.Keys(r.FailedForms)) {
			fmt.Fprintf(w, "%s  DuckDB, %s: %s\n", r.Workload, name, r.FailedForms[name])
		}
	}
}

// seconds prints a time with three digits that count.
func seconds(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.0f µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	}
	return fmt.Sprintf("%.3g s", s)
}

// WriteJSON writes the records to a file.
func WriteJSON(file string, records []Record) error {
	text, err := json.MarshalIndent(records, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
