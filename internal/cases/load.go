package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/onerow-go/onerow/internal/arrowtest"
)

// Case is one call, and its answer.
type Case struct {
	ID     string `json:"id"`
	Why    string `json:"why"`
	Source string `json:"source"`
	Call   string `json:"call"`

	Input   map[string]arrowtest.Spec `json:"input"`
	Options json.RawMessage           `json:"options"`
	Want    json.RawMessage           `json:"want"`

	// Steps are for scd2.plan: changes that arrive in several calls.
	Steps json.RawMessage `json:"steps"`

	// OrderMatters marks a case whose answer depends on the order of the rows.
	OrderMatters bool `json:"order_matters"`
}

// Load reads the case files, *.json, of a folder and of those below it. Nothing in a file is passed over: a field that a
// case or a table doesn't have, or that is there twice, is an error, and so are a call of an unknown name, two cases of one
// id, and a folder without any case.
func Load(dir string) ([]Case, error) {
	var all []Case
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		some, err := parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, some...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no case in this folder", dir)
	}
	seen := make(map[string]bool)
	for _, c := range all {
		if seen[c.ID] {
			return nil, fmt.Errorf("%s: two cases have the id %q", dir, c.ID)
		}
		seen[c.ID] = true
	}
	return all, nil
}

func parse(text []byte) ([]Case, error) {
	var some []Case
	if err := strict(text, &some); err != nil {
		return nil, err
	}
	for i, c := range some {
		switch {
		case c.ID == "":
			return nil, fmt.Errorf("case %d has no id", i)
		case c.Why == "":
			return nil, fmt.Errorf("case %q doesn't say why", c.ID)
		case built[c.Call] == nil && !planned[c.Call]:
			return nil, fmt.Errorf("case %q: no call is named %q", c.ID, c.Call)
		case c.Steps != nil && c.Call != "scd2.plan":
			return nil, fmt.Errorf("case %q: only scd2.plan has steps", c.ID)
		}
	}
	return some, nil
}

// strict decodes JSON into a value. Fields that the value doesn't have are errors; numbers stay as they are written.
func strict(text []byte, into any) error {
	if err := once(text); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// once checks that the text is one JSON value, in which no object has a field twice.
func once(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := onceValue(d); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind the value")
	}
	return nil
}

func onceValue(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	open, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := make(map[any]bool)
	for d.More() {
		if open == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if seen[name] {
				return fmt.Errorf("the field %q is there twice", name)
			}
			seen[name] = true
		}
		if err := onceValue(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
