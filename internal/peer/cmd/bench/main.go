// Command bench measures the verbs of onerow beside DuckDB, on the same data in one run, and checks that both give the
// same results. It prints a table, and how each figure stands against its bar.
//
//	go run -tags duckdb_arrow ./cmd/bench [-suite latest,G1,…] [-rows N] [-sizes N,N] [-threads 2] [-runs 5] [-budget MIB] [-json FILE] [-forms] [-memory=false] [-bars=false]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/onerow-go/onerow/internal/peer/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if child, err := bench.Child(ctx, os.Args[1:]); child || err != nil {
		exit(err)
	}
	exit(run(ctx))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(ctx context.Context) error {
	suites := flag.String("suite", "", "suites or workloads to run, by comma: "+strings.Join(bench.Suites(), ", ")+", L1, G2, … (default all, but outofcore, which takes some 30 GB of disk, only with -rows)")
	rows := flag.Int("rows", 0, "cap of the rows of each workload's main table (default the sizes of the workloads)")
	sizes := flag.String("sizes", "", "rows of growth's tables, by comma (default from 1 M to 100 M, for which it takes some 10 GB of memory)")
	threads := flag.Int("threads", 2, "threads of DuckDB, and our workers")
	runs := flag.Int("runs", 5, "runs of each side; O1 has at most 3")
	budget := flag.Float64("budget", 0, "budget of O1, in MiB (default 1024 for 200 M rows, and as much a row for fewer)")
	file := flag.String("json", "", "file to write the records to")
	forms := flag.Bool("forms", false, "print what each form of DuckDB's took in the warm-up")
	memory := flag.Bool("memory", true, "measure peak memory, in a process for each workload and side")
	bars := flag.Bool("bars", true, "print how the figures stand against the bars, which are for the default sizes")
	flag.Parse()
	if flag.NArg() > 0 || *rows < 0 || *threads < 1 || *runs < 1 || *budget < 0 {
		flag.Usage()
		return errors.New("bad arguments")
	}
	c := bench.Config{Rows: *rows, Threads: *threads, Runs: *runs, Budget: int64(*budget * (1 << 20)), Memory: *memory, Log: os.Stderr}
	if *suites != "" {
		c.Suites = strings.Split(*suites, ",")
	}
	if *sizes != "" {
		for _, text := range strings.Split(*sizes, ",") {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return fmt.Errorf("-sizes: %q is no number of rows", text)
			}
			c.Sizes = append(c.Sizes, n)
		}
	}
	out, err := bench.Run(ctx, c)
	if err != nil {
		return err
	}
	about, err := bench.Machine(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%s; threads %d, runs %d, medians\n\n", about, *threads, *runs)
	bench.WriteTable(os.Stdout, out.Records)
	if *forms {
		fmt.Println()
		bench.WriteForms(os.Stdout, out.Records)
	}
	if *bars {
		fmt.Println()
		if *rows > 0 {
			fmt.Println("Rows are capped; the bars are for the default sizes.")
		}
		for _, v := range out.Verdicts {
			fmt.Println(v)
		}
	}
	if *file != "" {
		return bench.WriteJSON(*file, out.Records)
	}
	return nil
}
