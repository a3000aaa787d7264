package engines_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// server is a PostgreSQL of the tests' own: its data in a temporary folder, reachable through a socket there alone.
type server struct {
	// address is what the driver connects to.
	address string

	dir   string
	cmd   *exec.Cmd
	stdin io.Closer
	log   chan error
}

// startPostgres makes a database and serves it. It returns nil when there is no PostgreSQL that knows MERGE.
func startPostgres() (*server, error) {
	bin := findPostgres()
	if bin == "" {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "onerow-pg")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, log: make(chan error, 1)}
	if err := s.start(bin); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func (s *server) start(bin string) error {
	as, err := s.unprivileged()
	if err != nil {
		return err
	}
	data := filepath.Join(s.dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = as, s.dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	// The shell ends the server when its own input ends, and so also when this process is gone, however it went. The log is the
	// server's alone, and ends with it.
	const guarded = `"$@" & exec 2> /dev/null; cat > /dev/null; kill -QUIT $!; wait`
	s.cmd = exec.Command("sh", "-c", guarded, "sh", filepath.Join(bin, "postgres"),
		"-D", data, "-k", s.dir, "-h", "", "-c", "fsync=off", "-c", "log_min_messages=log", "-c", "lc_messages=C", "-c", "timezone=UTC")
	s.cmd.SysProcAttr, s.cmd.Dir = as, s.dir
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ready := make(chan error, 1)
	go s.follow(stderr, ready)
	if err := <-ready; err != nil {
		return errors.Join(err, s.end())
	}
	s.address = fmt.Sprintf("host=%s user=postgres database=postgres", s.dir)
	return nil
}

// follow reads the server's log to its end, and says when the server is ready, or that it ended before.
func (s *server) follow(log io.Reader, ready chan<- error) {
	var said strings.Builder
	for lines := bufio.NewScanner(log); ; {
		if !lines.Scan() {
			ready <- errors.New("the server isn't ready:\n" + said.String())
			break
		}
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "ready to accept connections") {
			ready <- nil
			break
		}
	}
	_, err := io.Copy(io.Discard, log)
	s.log <- err
}

// stop ends the server and removes its data.
func (s *server) stop() error { return errors.Join(s.end(), os.RemoveAll(s.dir)) }

func (s *server) end() error {
	err := s.stdin.Close()
	return errors.Join(err, <-s.log, s.cmd.Wait())
}

// unprivileged gives the server's folder to a user that PostgreSQL agrees to run as: not root.
func (s *server) unprivileged() (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	as := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return as, os.Chown(s.dir, int(uid), int(gid))
}

// findPostgres is the folder of the newest PostgreSQL from 15 on, or "".
func findPostgres() string {
	const oldest = 15
	servers, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // the pattern is well-formed
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	servers = slices.DeleteFunc(servers, func(path string) bool { return version(path) < oldest })
	if len(servers) > 0 {
		return filepath.Dir(slices.MaxFunc(servers, func(a, b string) int { return version(a) - version(b) }))
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		return ""
	}
	out, err := exec.Command(path, "--version").Output() // postgres (PostgreSQL) 15.18 (Debian …)
	if err != nil {
		return ""
	}
	for _, word := range strings.Fields(string(out)) {
		major, _, _ := strings.Cut(word, ".")
		if n, err := strconv.Atoi(major); err == nil {
			if n < oldest {
				return ""
			}
			return filepath.Dir(path)
		}
	}
	return ""
}
