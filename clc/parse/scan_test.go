package parse_test

import (
	"github.com/simtc/simtc/clc/preprocess"
	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/internal/diag"
)

// scan preprocesses text; errors of the preprocessor are ignored.
func scan(file, text string) []token.Token {
	return preprocess.Run(file, text, preprocess.Options{}, &diag.List{})
}
