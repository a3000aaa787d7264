package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// pageOf writes the page of a run and returns its path.
func pageOf(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	alloc := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer alloc.AssertSize(t, 0)
	var out strings.Builder
	if err := run(context.Background(), append(args, "-html", file), &out, &out, alloc); err != nil {
		t.Fatal(err)
	}
	return file
}

var shipped = []string{"-left", "testdata/orders.csv", "-right", "testdata/customers.csv", "-on", "customer_id", "-time", "order_date"}

// chartLook is what a chart is in the page.
type chartLook struct {
	ID     string
	Shapes int
	Width  float64
	Height float64
	// Outside and Overlapping are labels that can't be read: beyond the edge of the page, or on one another.
	Outside     []string
	Overlapping []string
}

const lookAtCharts = `[...document.querySelectorAll("figure.chart")].map((figure) => {
	const svg = figure.querySelector("svg"), box = figure.getBoundingClientRect();
	const look = { ID: figure.id, Shapes: 0, Width: box.width, Height: box.height, Outside: [], Overlapping: [] };
	if (!svg) return look;
	look.Shapes = [...svg.querySelectorAll("rect, path, circle, line")].filter((e) => { const b = e.getBoundingClientRect(); return b.width + b.height > 1; }).length;
	const labels = [...svg.querySelectorAll("text")].filter((e) => e.textContent.trim() && !e.closest("[aria-label=tip]")).map((e) => [e.textContent, e.getBoundingClientRect()]);
	labels.forEach(([text, a], i) => {
		if (a.left < 0 || a.right > innerWidth) look.Outside.push(text);
		for (const [other, b] of labels.slice(i + 1)) {
			if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3) look.Overlapping.push(text + " | " + other);
		}
	});
	return look;
})`

// TestPage looks at pages in a browser: nothing complains, nothing is asked of the network, every chart drew something whose labels can be read,
// in light and dark, on a desk and on a phone.
func TestPage(t *testing.T) {
	b := newBrowser(t)
	left, right := writeLong(t)
	file, long := pageOf(t, shipped...), pageOf(t, "-left", left, "-right", right, "-on", "tenant,name=customer")
	for _, look := range []struct {
		name, file string
		width      int64
		scheme     string
		dark       bool
	}{
		{"light", file, 1100, "light", false},
		{"dark", file, 1100, "dark", true},
		{"phone", file, 390, "light", false},
		{"long", long, 1100, "dark", true},
		{"long_phone", long, 360, "light", false},
	} {
		t.Run(look.name, func(t *testing.T) {
			p := b.open(t, look.file, look.width, look.scheme)
			checkCharts(t, p, look.name)
			checkTips(t, p, look.name)
			if part, colours := painted(p.picture(t, "body", look.name)); part < 0.1 || colours < 100 {
				t.Errorf("the page is blank: %.4f of it is painted, in %d colours", part, colours)
			}
			if wide := ask[float64](t, p, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("the page is %g pixels wider than the window", wide)
			}
			dark := ask[bool](t, p, `getComputedStyle(document.body).backgroundColor.match(/\d+/g).every((c) => c < 80)`)
			if dark != look.dark {
				t.Errorf("dark: %v, want %v", dark, look.dark)
			}
			for _, complaint := range p.complaints() {
				t.Error(complaint)
			}
		})
	}
}

func checkCharts(t *testing.T, p pageLook, name string) {
	t.Helper()
	var ids []string
	for _, c := range ask[[]chartLook](t, p, lookAtCharts) {
		ids = append(ids, c.ID)
		if c.Shapes < 3 || c.Width < 250 || c.Height < 100 {
			t.Errorf("chart %s: %d shapes on %g × %g: nothing to see", c.ID, c.Shapes, c.Width, c.Height)
		}
		if len(c.Outside) > 0 || len(c.Overlapping) > 0 {
			t.Errorf("chart %s: labels beyond the edge %q, on one another %q", c.ID, c.Outside, c.Overlapping)
		}
		if part, colours := painted(p.picture(t, "#"+c.ID, name+"_"+c.ID)); part < 0.01 || colours < 20 {
			t.Errorf("chart %s is blank: %.4f of it is painted, in %d colours", c.ID, part, colours)
		}
	}
	if want := []string{"growth", "fan_out", "steps", "versions"}; !slices.Equal(ids, want) {
		t.Errorf("charts %v, want %v", ids, want)
	}
}

// middle is where a mark of a chart is on the screen.
const middle = `(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"}); const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`

// checkTips points at a mark, and reads what is said of it: the box has the colour of the paper.
func checkTips(t *testing.T, p pageLook, name string) {
	t.Helper()
	for chart, mark := range map[string]string{"fan_out": "#fan_out [aria-label=dot] path", "versions": "#versions [aria-label=rect] rect"} {
		at := ask[[]float64](t, p, fmt.Sprintf(middle, mark))
		if err := chromedp.Do(p.ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1])); err != nil {
			t.Fatal(err)
		}
		got := ask[struct{ Text, Box, Paper string }](t, p, fmt.Sprintf(`(() => { const tip = document.querySelector("#%s [aria-label=tip]"), box = tip.querySelector("path");
			return {Text: tip.textContent, Box: box ? getComputedStyle(box).fill : "", Paper: getComputedStyle(document.querySelector("section")).backgroundColor}; })()`, chart))
		if got.Text == "" || got.Box != got.Paper {
			t.Errorf("the tip of %s says %q on %q, want paper, %q", chart, got.Text, got.Box, got.Paper)
		}
		p.picture(t, "#"+chart, name+"_"+chart+"_tip")
	}
}

// writeLong writes files whose keys are long and of two columns, with many rows each.
func writeLong(t *testing.T) (left, right string) {
	t.Helper()
	var l, r strings.Builder
	l.WriteString("tenant,name,amount\n")
	r.WriteString("tenant,customer,plan,valid_from,valid_to\n")
	for i := range 20 {
		key := fmt.Sprintf("tenant number %d,株式会社 a name that goes on and on without an end in sight %d", i%3, i)
		l.WriteString(strings.Repeat(key+",1\n", 2000>>i+1))
		from := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
		for v := range 60 - i {
			to := from.Add(time.Duration(v+1) * time.Hour)
			fmt.Fprintf(&r, "%s,p%d,%s,%s\n", key, v, from.Format(time.DateTime), to.Format(time.DateTime))
			from = to
		}
		fmt.Fprintf(&r, "%s,p,%s,\n", key, from.Format(time.DateTime))
	}
	paths := files(t, l.String(), r.String())
	return paths[0], paths[1]
}

// evil are keys and a column name that a page must show and not run.
const evil = `</script><script>alert(1)</script>`

func writeEvil(t *testing.T) (left, right string) {
	t.Helper()
	dir := t.TempDir()
	left, right = filepath.Join(dir, "<img src=x onerror=alert(2)>.csv"), filepath.Join(dir, "b&amp;'\"`${alert(3)}.csv")
	keys := []string{evil, `<img src=x onerror=alert(4)>`, `"><svg onload=alert(5)>`, "javascript:alert(6)", "<!--<script>", "\u2028{{.Style}}`${alert(7)}`\\"}
	var l, r strings.Builder
	l.WriteString("\"k<b>\"\n")
	r.WriteString("\"k<b>\",\"<i>from\",to\n")
	for _, k := range keys {
		cell := `"` + strings.ReplaceAll(k, `"`, `""`) + `"`
		l.WriteString(strings.Repeat(cell+"\n", 3))
		r.WriteString(cell + ",2026-01-01,2026-02-01\n" + cell + ",2026-02-01,\n")
	}
	for file, text := range map[string]string{left: l.String(), right: r.String()} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return left, right
}

// TestEvilText: what comes from data is text, in the markup, in the JSON and in the charts.
func TestEvilText(t *testing.T) {
	left, right := writeEvil(t)
	file := pageOf(t, "-left", left, "-right", right, "-on", "k<b>")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range []string{"<script>alert", "<img", "<svg onload", "k<b>", "<i>", "<!--<"} {
		if strings.Contains(withoutScripts(string(text)), broken) {
			t.Errorf("the page has %s", broken)
		}
	}
	if n := strings.Count(string(text), "</script>"); n != 4 {
		t.Errorf("%d scripts end in the page, want 4", n)
	}

	t.Run("browser", func(t *testing.T) {
		p := newBrowser(t).open(t, file, 1100, "light")
		got := ask[struct {
			Images, Scripts, Bold int
			Labels                []string
		}](t, p, `({Images: document.images.length, Scripts: document.scripts.length, Bold: document.querySelectorAll("b, svg[onload]").length,
			Labels: [...document.querySelectorAll("#fan_out text")].map((e) => e.textContent)})`)
		if got.Images != 0 || got.Scripts != 4 || got.Bold != 0 {
			t.Errorf("the page has %d images, %d scripts, %d elements of data", got.Images, got.Scripts, got.Bold)
		}
		if !slices.ContainsFunc(got.Labels, func(l string) bool { return strings.HasPrefix(l, `"</script><scrip`) }) {
			t.Errorf("no label shows the key: %q", got.Labels)
		}
		for _, complaint := range p.complaints() {
			t.Error(complaint)
		}
	})
}

var libraries = regexp.MustCompile(`(?s)<script>.*?</script>`)

// withoutScripts leaves the charting libraries and page.js out.
func withoutScripts(page string) string { return libraries.ReplaceAllString(page, "") }

// Without growth and versions the page says so.
func TestPageOfNothing(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "k,v\n1,x\n2,y\n", "b.csv": "k,w\n1,x\n3,y\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := pageOf(t, "-left", filepath.Join(dir, "a.csv"), "-right", filepath.Join(dir, "b.csv"), "-on", "k")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"multiplies nothing", "There is no growth", "No key makes more than one row.", "No key of b.csv repeats", "There is none. No key of b.csv has versions"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page doesn't say %q", want)
		}
	}
	t.Run("browser", func(t *testing.T) {
		p := newBrowser(t).open(t, file, 1100, "light")
		for _, complaint := range p.complaints() {
			t.Error(complaint)
		}
	})
}

// The libraries are those that their README names.
func TestLibraries(t *testing.T) {
	readme, err := embedded("page/libraries/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"d3.min.js.gz", "plot.umd.min.js.gz"} {
		text, err := embedded("page/libraries/" + name)
		if err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \|.*$`).FindString(readme)
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); !strings.Contains(line, sum) {
			t.Errorf("%s has the sum %s; the README says %q", name, sum, line)
		}
	}
}
