package main

import (
	"testing"
)

func TestBar(t *testing.T) {
	a := axis{lo: 100, hi: 200, cells: 10}
	for _, test := range []struct {
		name string
		span span
		want string
	}{
		{"all", span{from: 100, to: 200}, "██████████"},
		{"beyond both ends", span{from: 0, to: 999}, "██████████"},
		{"the middle", span{from: 130, to: 160}, "   ███"},
		{"up to the nearest edge", span{from: 134, to: 156}, "   ███"},
		{"open", span{from: 130, open: true}, "   ██████▶"},
		{"open from the end on", span{from: 200, open: true}, "         ▶"},
		{"open from beyond the end on", span{from: 300, open: true}, "         ▶"},
		{"too short", span{from: 131, to: 132}, "   │"},
		{"too short, at the end", span{from: 199, to: 200}, "         │"},
		{"empty", span{from: 130, to: 130}, "   ×"},
		{"inverted", span{from: 130, to: 110}, "   ×"},
	} {
		if got := a.bar(test.span); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestBarsMeet holds that versions that follow each other have bars that meet, wherever the boundary is.
func TestBarsMeet(t *testing.T) {
	a := axis{lo: 3, hi: 100, cells: 7}
	for at := int64(4); at < 100; at++ {
		if got := a.count([]span{{from: 3, to: at}, {from: at, open: true}}); got != "1111111" {
			t.Errorf("boundary at %d: %q", at, got)
		}
	}
}

func TestCount(t *testing.T) {
	a := axis{lo: 0, hi: 10, cells: 10}
	spans := []span{{from: 1, to: 3}, {from: 2, open: true}, {from: 5, to: 4}}
	if got := a.count(spans); got != " 121111111" {
		t.Errorf("got %q", got)
	}
	for range 10 {
		spans = append(spans, span{from: 9, open: true})
	}
	if got := a.count(spans); got != " 12111111+" {
		t.Errorf("got %q", got)
	}
}

func TestScale(t *testing.T) {
	a := axis{lo: 100, hi: 2000, cells: 12}
	if got := a.scale(); got != "100     2000" {
		t.Errorf("got %q", got)
	}
}
