package masks_test

import (
	"testing"

	"github.com/simtc/simtc/vir/opt/opttest"
)

func TestGoldens(t *testing.T) { opttest.Goldens(t) }
