package library

import (
	"flag"
	"os"
	"testing"
)

// These tests open files so often that go, which lists them to tell whether a result still holds, would take three
// times as long over the list as the tests themselves.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.testlogfile", "")
	os.Exit(m.Run())
}
