// Package engines runs MERGE statements of scd2 in real engines: DuckDB, which is linked in, and PostgreSQL, which the tests start for
// themselves. It is a module of its own, since these drivers are none of the core's dependencies. It holds tests alone.
//
// A test skips an engine that isn't there, and fails instead when ONEROW_REQUIRE_ENGINES is set. PostgreSQL is looked for where Debian
// puts it, /usr/lib/postgresql/*/bin, then in PATH; `make engines-setup` installs it.
package engines
