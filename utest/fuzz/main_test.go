package fuzz

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(1200) // what is made of one program is of no use to the next
	os.Exit(m.Run())
}
