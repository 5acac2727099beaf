// Package joinpoints arranges the blocks of any control-flow graph in a linear order and
// determines how W lanes that diverge run along it: the intervals of the order that
// repeat, the block heads that control may reach without active lanes (JOIN points), and
// where control continues then.
//
// # The linear flow
//
// Blocks have positions 0..n-1 in a linear order. Every lane waits at one position; a
// lane that has finished waits at n. Initially all lanes wait at 0. Backward edges span
// intervals of positions, which are nested. There is one thread of control; it is either
// at the head or at the end of a position:
//
//   - Head of p: the lanes that wait at p are active. If there are none, which can happen
//     only at JOIN points, control goes to NextJoin[p]. Otherwise the block runs, every
//     active lane then waits at the successor it chose (n after a block without successors),
//     and control goes to the end of p.
//   - End of p: for the intervals whose last position is p, innermost first: if a lane
//     waits anywhere in the interval, control jumps back to the head of its first position.
//     Otherwise control goes to Next[p]. Control that arrives at an end without running the
//     block starts with the interval named by its Target, and skips the intervals nested in
//     it.
//   - Head of n: every lane has finished.
//
// So control never skips waiting lanes, lanes reconverge as early as the order allows,
// and control goes to the nearest position where a lane may wait. A linearizer emits a
// test for waiting lanes at each JOIN point and at the end of each interval; the other
// heads need no test.
//
// For intervals made by Intervals, a lane that waits in an interval when control is at
// its end waits at its first position. So the condition of the back jump may be whether a
// lane waits at Lo, which is the mask for the block at Lo. The JOIN test there, if any,
// concerns only control that enters the interval.
//
// As a graph of heads and ends, this flow is reducible for any graph of blocks: its loops
// are the intervals.
//
// A forward branch over other blocks needs no special case. Control goes from the end of
// the branch to the next position where a lane may wait. If no lane of the branch chose
// that position and none waited there, its JOIN test passes control on. (This is the flow
// of Beignet's "unstructured branches", in which every branch tests whether it may jump.
// A linearizer may merge the JOIN test after a branch into the branch.)
//
// The package uses only blocks and edges. It is independent of instructions, masks and
// divergence.
package joinpoints
