// Package joinpoints puts the blocks of any control-flow graph in one line and
// says how W lanes that want to go different ways run along it together: which
// intervals of the line repeat, at which heads it may turn out that no lane is
// there (JOIN points), and where to go then.
//
// # The linear flow
//
// Blocks stand in a linear order and are named by their position 0..n-1. Every
// lane waits at one position; a lane that has finished waits at n. At first
// all lanes wait at 0. Backward edges span intervals of positions that nest.
// One control walks along the line; it is either at the head or at the end of
// a position:
//
//   - Head of p: the lanes that wait at p are active. If there are none, which
//     can happen only at JOIN points, control goes to NextJoin[p]. Otherwise the
//     block runs, every active lane now waits at the successor it chose (n
//     after a block without successors), and control goes to the end of p.
//   - End of p: for the intervals whose last position is p, innermost first:
//     if a lane waits anywhere in the interval, control jumps back to the head
//     of its first position. Otherwise control goes to Next[p]. Control that
//     comes here not from the block but from elsewhere begins with the interval
//     that its Target names, and leaves out those inside.
//   - Head of n: every lane has finished.
//
// So lanes that wait are never passed by, lanes meet again as early as the
// order allows, and control goes to the nearest place where a lane may wait. A
// linearizer makes a test of the waiting lanes at each JOIN point and each
// interval's end; at the other heads there is no question.
//
// For intervals made by Intervals, a lane that waits in an interval when
// control is at its end waits at its first position. So the test of the back
// jump may be "does a lane wait at Lo", the very mask that the block at Lo is
// to run under; and the JOIN test there, if any, concerns only control that
// comes from above.
//
// Seen as a graph of heads and ends, this flow is reducible whatever the graph
// of the blocks is: its loops are the intervals.
//
// A branch forward over other blocks needs no case of its own. Control goes
// from the end of the branch to the next position where a lane may wait; if
// none of the branch's lanes chose it and none waited there, its JOIN passes
// control on. (This is the flow of Beignet's "unstructured branches", where
// every branch tests for itself whether it may jump. A linearizer may fuse the
// JOIN test after a branch into the branch.)
//
// The package knows blocks and edges only, nothing of instructions, masks or
// what is divergent.
package joinpoints
