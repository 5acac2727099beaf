// Steps of the Collatz iteration until 1, for every start from 1 to the range.
//
// Two things diverge: the arm of the odd-even choice and the number of turns.
// A lane that is done waits at the JOIN point behind the loop. Try
//
//	simtc run examples/collatz.cl -k collatz -g 1000000 b:uint:1000000
//	simtc compile examples/collatz.cl --linearize blockip --emit joins
//
// run: -k collatz -g 2000 b:uint:2000
// sum: 0 952c169729ab0ffd

__kernel void collatz(__global uint *steps) {
  uint i = get_global_id(0);
  ulong n = i + 1;
  uint count = 0;
  while (n > 1) {
    if (n & 1)
      n = 3 * n + 1;
    else
      n /= 2;
    count++;
  }
  steps[i] = count;
}
