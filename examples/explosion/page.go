package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"html/template"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/onerow-go/onerow/join"
)

// The page is one file. Its charts are drawn by Observable Plot, which stands on D3; page/libraries has both as npm publishes them, compressed, with
// their licenses.
//
//go:embed page
var pageFiles embed.FS

// shown is what page.html shows. Everything in it that comes from data is text to the template, which escapes it by its place.
type shown struct {
	*result
	Charts   charts
	Style    template.CSS
	Scripts  []template.JS
	Licenses []string
	Headline string
}

func writePage(path string, a *result) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := renderPage(f, a); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func renderPage(w io.Writer, a *result) error {
	p := shown{result: a, Charts: chartsOf(a), Headline: headline(a.Size)}
	for _, name := range []string{"page/libraries/d3.min.js.gz", "page/libraries/plot.umd.min.js.gz", "page/page.js"} {
		text, err := embedded(name)
		if err != nil {
			return err
		}
		p.Scripts = append(p.Scripts, template.JS(text))
	}
	for _, name := range []string{"page/libraries/LICENSE-d3", "page/libraries/LICENSE-plot"} {
		text, err := embedded(name)
		if err != nil {
			return err
		}
		p.Licenses = append(p.Licenses, text)
	}
	style, err := embedded("page/page.css")
	if err != nil {
		return err
	}
	p.Style = template.CSS(style)
	t, err := template.New("page.html").Funcs(template.FuncMap{"comma": comma, "grouped": grouped, "factor": factor, "percent": percent, "date": date,
		"label": keyLabel, "joined": joined, "sizes": sizes, "isPlaceholder": isPlaceholder, "fanOut": fanOut}).ParseFS(pageFiles, "page/page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

func embedded(name string) (string, error) {
	text, err := pageFiles.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return string(text), err
	}
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return "", err
	}
	text, err = io.ReadAll(r)
	return string(text), err
}

func headline(size *join.Size) string {
	if size.Growth() == 1 {
		return "This left join multiplies nothing"
	}
	return fmt.Sprintf("This left join makes %s times the rows", factor(size.Growth()))
}

func percent(share float64) string {
	switch p := share * 100; {
	case p == 0:
		return "0 %"
	case p < 0.1:
		return "< 0.1 %"
	default:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
}

func joined(names []string) string { return strings.Join(names, ", ") }

// date writes the boundary of a version, with the time of day unless it is midnight.
func date(ms int64) string {
	t := time.UnixMilli(ms).UTC()
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.DateTime)
}

type namedSize struct {
	Name string
	Rows join.Count
}

func sizes(s join.Sizes) []namedSize {
	return []namedSize{{"inner join", s.Inner}, {"left join", s.Left}, {"right join", s.Right}, {"full join", s.Full}, {"left semi join", s.LeftSemi},
		{"left anti join", s.LeftAnti}, {"right semi join", s.RightSemi}, {"right anti join", s.RightAnti}}
}
