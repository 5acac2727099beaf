package edit

import "github.com/simtc/simtc/internal/pass"

// Stats counts the effects of passes, by name; a nil Stats counts nothing.
type Stats = pass.Stats
