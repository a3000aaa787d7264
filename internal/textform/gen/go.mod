module github.com/onerow-go/onerow/internal/textform/gen

go 1.26.0

require (
	github.com/onerow-go/onerow v0.0.0
	golang.org/x/text v0.41.0
)

replace github.com/onerow-go/onerow => ../../..
