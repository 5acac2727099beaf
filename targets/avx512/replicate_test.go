package avx512

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// states is a state machine over bytes that counts words. Its states are: 0 between words,
// 1 in a word, 2 in a comment.
const states = `  %text = load.i64 %p disp 8 align 8
  jump loop(0:i64, 0:i32, 0:i32)
loop(%i: i64, %state: i32, %n: i32):
  %more = slt.i64 %i, 1000
  branch %more, body, done
body:
  %at = add.i64 %text, %i
  %c8 = load.i8 %at align 1
  %ch = zext.i32 %c8
  %is0 = eq.i32 %state, 0
  branch %is0, between, rest
rest:
  %is1 = eq.i32 %state, 1
  branch %is1, word, comment
between:
  %hash = eq.i32 %ch, 35
  branch %hash, next(2:i32, %n), start
start:
  %letter = ult.i32 64, %ch
  %n1 = add.i32 %n, 1
  branch %letter, next(1:i32, %n1), next(0:i32, %n)
word:
  %still = ult.i32 64, %ch
  branch %still, next(1:i32, %n), next(0:i32, %n)
comment:
  %end = eq.i32 %ch, 10
  branch %end, next(0:i32, %n), next(2:i32, %n)
next(%s: i32, %m: i32):
  %i1 = add.i64 %i, 1
  jump loop(%i1, %s, %m)
done:
  store.i32 %p, %n align 4
  return
`

// Each of the seven edges that set the state continues at the code of that state. Only the
// first iteration tests the state.
func TestStateTestsAreBypassed(t *testing.T) {
	text, code := scalarListing(t, states)
	require.Equal(t, 7, code.Stats.Replicas, "%s", text)
	require.Equal(t, 8, strings.Count(text, "BYTE PTR"), "%s", text)
	require.Equal(t, 1, strings.Count(text, "test esi, esi\n"), "%s", text)
	require.Equal(t, 1, strings.Count(text, "cmp esi, 1\n"), "%s", text)
}
