// Package ssa is the common core of the text forms and verifiers of the kernel IR and of vir: tokens,
// names of blocks and values, operands, edges, and the checks of SSA form. Functions of both consist
// of basic blocks with parameters.
//
// It must not know the operations, types or attributes of either IR.
package ssa
