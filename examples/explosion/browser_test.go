package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a headless Chromium for the length of a test.
type browser struct{ ctx context.Context }

// newBrowser starts Chromium. A test without one is skipped, unless ONEROW_REQUIRE_CHROMIUM says that it must not be.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	switch {
	case path == "" && os.Getenv("ONEROW_REQUIRE_CHROMIUM") == "1":
		t.Fatal("no Chromium in PATH, and ONEROW_REQUIRE_CHROMIUM=1")
	case path == "":
		t.Skip("no Chromium in PATH: nobody looks at the page")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocCtx, stopAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, stop := chromedp.NewContext(allocCtx)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // waits: the folder of its profile is removed next
			t.Log(err)
		}
		stop()
		stopAlloc()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return &browser{ctx}
}

// pageLook is a page in a tab of its own.
type pageLook struct {
	ctx context.Context
	// complaints are exceptions, errors and warnings on the console, failed or forbidden loads, and requests other than for the file itself.
	complaints func() []string
}

// open opens a file in a window of some width. The scheme is light or dark.
func (b *browser) open(t *testing.T, file string, width int64, scheme string) pageLook {
	t.Helper()
	ctx, stop := chromedp.NewContext(b.ctx)
	t.Cleanup(stop)
	var mu sync.Mutex
	var said []string
	complain := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, fmt.Sprintf(format, args...))
	}
	if err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			what := ev.ExceptionDetails.Text
			if e := ev.ExceptionDetails.Exception; e != nil {
				what += " " + e.Description
			}
			complain("exception: %s", what)
		case *runtime.EventConsoleAPICalled:
			for _, a := range ev.Args {
				complain("console %s: %s", ev.Type, a.Value)
			}
		case *log.EventEntryAdded:
			complain("log %s: %s", ev.Entry.Level, ev.Entry.Text)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(ev.Request.URL, "file://") {
				complain("request: %s", ev.Request.URL)
			}
		case *cdppage.EventJavascriptDialogOpening: // which blocks the page
			complain("dialog: %s", ev.Message)
			go chromedp.Call(ctx, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: true})
		}
	}); err != nil {
		t.Fatal(err)
	}
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	address := url.URL{Scheme: "file", Path: file}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(address.String()), chromedp.WaitReady("footer")); err != nil {
		t.Fatal(err)
	}
	return pageLook{ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return said
	}}
}

// ask evaluates an expression in a page.
func ask[T any](t *testing.T, p pageLook, expression string) T {
	t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// picture takes a screenshot of an element, and keeps it in the folder ONEROW_SCREENSHOTS if there is one.
func (p pageLook) picture(t *testing.T, selector, name string) image.Image {
	t.Helper()
	shot, err := chromedp.Run(p.ctx, chromedp.Screenshot(chromedp.CSS(selector)))
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("ONEROW_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// painted is the part of the picture that isn't of its most frequent colour, and the number of colours.
func painted(img image.Image) (part float64, colours int) {
	counts := map[[3]uint32]int{}
	most, b := 0, img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			red, green, blue, _ := img.At(x, y).RGBA()
			c := [3]uint32{red, green, blue}
			counts[c]++
			most = max(most, counts[c])
		}
	}
	return 1 - float64(most)/float64(b.Dx()*b.Dy()), len(counts)
}
