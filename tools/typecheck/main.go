// Typecheck reports what of this module's packages, and of their tests, wouldn't compile for a system: it checks their
// source against the declarations of what they import, which takes a tenth of the time of compiling all of it.
//
//	(cd tools && GOWORK=off go build -o /tmp/typecheck ./typecheck) && GOOS=windows GOARCH=amd64 /tmp/typecheck ./...
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	found, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax &^ packages.NeedTypesInfo,
		Tests: true,
	}, os.Args[1:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if packages.PrintErrors(found) > 0 {
		os.Exit(1)
	}
}
