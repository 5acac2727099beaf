// Package ssa has what the text forms and the verifiers of the kernel IR and of vir share: tokens, the
// names of blocks and values, operands, edges, and the checks of SSA form. Both are functions of
// basic blocks with parameters.
//
// It must not know the operations, types or attributes of either IR.
package ssa
