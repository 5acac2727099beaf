package asm

// Vector moves, broadcasts, compress, expand, gathers and scatters.

var moveForms = concat(
	[]form{
		// A 128-bit write clears the rest of the register.
		{ZEROV, "vpxor", args{kX | pAll | aW}, vex | p66 | m0F | 0xEF},
		{ZEROV, "vpxord", args{kX | pAll | aW}, evex | p66 | m0F | w0 | 0xEF | e4},
		{ONESV, "vpcmpeqd", args{kV | pAll | aW}, vx | p66 | m0F | 0x76},
		{ONESV, "vpternlogd", args{kV | pAll | aW}, evex | lAll | p66 | m0F3A | w0 | 0x25 | e4 | ones},
	},
	fullMove(VMOVDQU8, "vmovdqu8", "vmovdqu", pF2, pF3, 0x6F, 0x7F, e1|w0),
	fullMove(VMOVDQU16, "vmovdqu16", "vmovdqu", pF2, pF3, 0x6F, 0x7F, e2|w1),
	fullMove(VMOVDQU32, "vmovdqu32", "vmovdqu", pF3, pF3, 0x6F, 0x7F, e4|w0),
	fullMove(VMOVDQU64, "vmovdqu64", "vmovdqu", pF3, pF3, 0x6F, 0x7F, e8|w1),
	fullMove(VMOVDQA32, "vmovdqa32", "vmovdqa", p66, p66, 0x6F, 0x7F, e4|w0),
	fullMove(VMOVDQA64, "vmovdqa64", "vmovdqa", p66, p66, 0x6F, 0x7F, e8|w1),
	fullMove(VMOVUPS, "vmovups", "vmovups", 0, 0, 0x10, 0x11, e4|w0),
	fullMove(VMOVUPD, "vmovupd", "vmovupd", p66, p66, 0x10, 0x11, e8|w1),
	fullMove(VMOVAPS, "vmovaps", "vmovaps", 0, 0, 0x28, 0x29, e4|w0),
	fullMove(VMOVAPD, "vmovapd", "vmovapd", p66, p66, 0x28, 0x29, e8|w1),
	[]form{
		{VMOVD, "vmovd", args{dX, mG32}, evex | lig | p66 | m0F | w0 | 0x6E | tScalar | e4 | vx0},
		{VMOVD, "vmovd", args{tG32, sX}, evex | lig | p66 | m0F | w0 | 0x7E | tScalar | e4 | vx0},
		{VMOVQ, "vmovq", args{dX, mX}, vex | l128 | pF3 | m0F | 0x7E | tScalar | e8 | swap},
		{VMOVQ, "vmovq", args{oMem, sX}, vex | l128 | p66 | m0F | 0xD6 | tScalar | e8},
		{VMOVQ, "vmovq", args{dX, mG64}, evex | lig | p66 | m0F | w1 | 0x6E | tScalar | e8 | vx1},
		{VMOVQ, "vmovq", args{tG64, sX}, evex | lig | p66 | m0F | w1 | 0x7E | tScalar | e8 | vx1},
		{VMOVQ, "vmovq", args{dX, rX}, evex | lig | pF3 | m0F | w1 | 0x7E | tScalar | e8},
		{VMOVSS, "vmovss", args{dX, lMem}, evSS | pF3 | m0F | 0x10 | vx0},
		{VMOVSS, "vmovss", args{oMem, sX}, evSS&^mkZero | mkMerge | pF3 | m0F | 0x11 | vx0},
		{VMOVSD, "vmovsd", args{dX, lMem}, evSD | pF2 | m0F | 0x10 | vx0},
		{VMOVSD, "vmovsd", args{oMem, sX}, evSD&^mkZero | mkMerge | pF2 | m0F | 0x11 | vx0},
		{VMOVSSR, "vmovss", args{dX, nX, rX}, evSS | pF3 | m0F | 0x10 | vx0 | swap},
		{VMOVSDR, "vmovsd", args{dX, nX, rX}, evSD | pF2 | m0F | 0x10 | vx0 | swap},
		{VMOVSHDUP, "vmovshdup", args{dV, mV}, ev | pF3 | m0F | w0 | 0x16 | e4 | vx0},
		{VMOVSLDUP, "vmovsldup", args{dV, mV}, ev | pF3 | m0F | w0 | 0x12 | e4 | vx0},
		{VMOVDDUP, "vmovddup", args{dV, mV}, ev | pF2 | m0F | w1 | 0x12 | e8 | tDup | vx0},
		{VMOVNTDQ, "vmovntdq", args{oMem, sV}, evex | lAll | p66 | m0F | w0 | 0xE7 | e4 | vx0 | fx},
		{VMOVNTPS, "vmovntps", args{oMem, sV}, evex | lAll | m0F | w0 | 0x2B | e4 | vx0 | fx},
		{VMOVNTPD, "vmovntpd", args{oMem, sV}, evex | lAll | p66 | m0F | w1 | 0x2B | e8 | vx0 | fx},
		{VMOVNTDQA, "vmovntdqa", args{dV, lMem}, evex | lAll | p66 | m0F38 | w0 | 0x2A | e4 | vx0 | fx},
		{VMOVHLPS, "vmovhlps", args{dX, nX, rX}, evex | lig | m0F | w0 | 0x12 | e4 | vx0},
		{VMOVLHPS, "vmovlhps", args{dX, nX, rX}, evex | lig | m0F | w0 | 0x16 | e4 | vx0},

		{VPBROADCASTB, "vpbroadcastb", args{dV, mX}, evB | p66 | m0F38 | w0 | 0x78 | tScalar | vx0},
		{VPBROADCASTW, "vpbroadcastw", args{dV, mX}, evW | p66 | m0F38 | w0 | 0x79 | tScalar | vx0},
		{VPBROADCASTD, "vpbroadcastd", args{dV, mX}, ev | p66 | m0F38 | w0 | 0x58 | tScalar | e4 | vx0},
		{VPBROADCASTQ, "vpbroadcastq", args{dV, mX}, ev | p66 | m0F38 | w1 | 0x59 | tScalar | e8 | vx0},
		{VPBROADCASTBR, "vpbroadcastb", args{dV, rG32}, evB | p66 | m0F38 | w0 | 0x7A},
		{VPBROADCASTWR, "vpbroadcastw", args{dV, rG32}, evW | p66 | m0F38 | w0 | 0x7B},
		{VPBROADCASTDR, "vpbroadcastd", args{dV, rG32}, ev | p66 | m0F38 | w0 | 0x7C | e4},
		{VPBROADCASTQR, "vpbroadcastq", args{dV, rG64}, ev | p66 | m0F38 | w1 | 0x7C | e8},
		{VBROADCASTSS, "vbroadcastss", args{dV, mX}, ev | p66 | m0F38 | w0 | 0x18 | tScalar | e4 | vx0},
		{VBROADCASTSD, "vbroadcastsd", args{dV, mX}, evex | l256512 | mkZero | p66 | m0F38 | w1 | 0x19 | tScalar | e8 | vx0},
		{VBROADCASTI32X2, "vbroadcasti32x2", args{dV, mX}, ev | p66 | m0F38 | w0 | 0x59 | tX2 | e4},
		{VBROADCASTF32X2, "vbroadcastf32x2", args{dV, mX}, evex | l256512 | mkZero | p66 | m0F38 | w0 | 0x19 | tX2 | e4},
		{VBROADCASTI32X4, "vbroadcasti128", args{dV, lMem}, vex | l256 | p66 | m0F38 | 0x5A | tX4 | e4},
		{VBROADCASTI32X4, "vbroadcasti32x4", args{dV, lMem}, evex | l256512 | mkZero | p66 | m0F38 | w0 | 0x5A | tX4 | e4},
		{VBROADCASTF32X4, "vbroadcastf128", args{dV, lMem}, vex | l256 | p66 | m0F38 | 0x1A | tX4 | e4},
		{VBROADCASTF32X4, "vbroadcastf32x4", args{dV, lMem}, evex | l256512 | mkZero | p66 | m0F38 | w0 | 0x1A | tX4 | e4},
		{VBROADCASTI64X2, "vbroadcasti128", args{dV, lMem}, vex | l256 | p66 | m0F38 | 0x5A | tX2 | e8},
		{VBROADCASTI64X2, "vbroadcasti64x2", args{dV, lMem}, evex | l256512 | mkZero | p66 | m0F38 | w1 | 0x5A | tX2 | e8},
		{VBROADCASTF64X2, "vbroadcastf128", args{dV, lMem}, vex | l256 | p66 | m0F38 | 0x1A | tX2 | e8},
		{VBROADCASTF64X2, "vbroadcastf64x2", args{dV, lMem}, evex | l256512 | mkZero | p66 | m0F38 | w1 | 0x1A | tX2 | e8},
		{VBROADCASTI32X8, "vbroadcasti32x8", args{dV, lMem}, evex | l512 | mkZero | p66 | m0F38 | w0 | 0x5B | tX8 | e4},
		{VBROADCASTF32X8, "vbroadcastf32x8", args{dV, lMem}, evex | l512 | mkZero | p66 | m0F38 | w0 | 0x1B | tX8 | e4},
		{VBROADCASTI64X4, "vbroadcasti64x4", args{dV, lMem}, evex | l512 | mkZero | p66 | m0F38 | w1 | 0x5B | tX4 | e8},
		{VBROADCASTF64X4, "vbroadcastf64x4", args{dV, lMem}, evex | l512 | mkZero | p66 | m0F38 | w1 | 0x1B | tX4 | e8},
		{VPBROADCASTMW2D, "vpbroadcastmw2d", args{dV, rK}, evex | lAll | pF3 | m0F38 | w0 | 0x3A | e4},
		{VPBROADCASTMB2Q, "vpbroadcastmb2q", args{dV, rK}, evex | lAll | pF3 | m0F38 | w1 | 0x2A | e8},

		{VPCOMPRESSD, "vpcompressd", args{tV, sV}, ev | p66 | m0F38 | w0 | 0x8B | tScalar | e4},
		{VPCOMPRESSQ, "vpcompressq", args{tV, sV}, ev | p66 | m0F38 | w1 | 0x8B | tScalar | e8},
		{VCOMPRESSPS, "vcompressps", args{tV, sV}, ev | p66 | m0F38 | w0 | 0x8A | tScalar | e4},
		{VCOMPRESSPD, "vcompresspd", args{tV, sV}, ev | p66 | m0F38 | w1 | 0x8A | tScalar | e8},
		{VPEXPANDD, "vpexpandd", args{dV, mV}, ev | p66 | m0F38 | w0 | 0x89 | tScalar | e4},
		{VPEXPANDQ, "vpexpandq", args{dV, mV}, ev | p66 | m0F38 | w1 | 0x89 | tScalar | e8},
		{VEXPANDPS, "vexpandps", args{dV, mV}, ev | p66 | m0F38 | w0 | 0x88 | tScalar | e4},
		{VEXPANDPD, "vexpandpd", args{dV, mV}, ev | p66 | m0F38 | w1 | 0x88 | tScalar | e8},

		{VPGATHERDD, "vpgatherdd", args{bV, lVM}, gather | w0 | 0x90 | e4},
		{VPGATHERDQ, "vpgatherdq", args{bV, lVMH}, gather | w1 | 0x90 | e8},
		{VPGATHERQD, "vpgatherqd", args{bH, lVM}, gather | w0 | 0x91 | e4},
		{VPGATHERQQ, "vpgatherqq", args{bV, lVM}, gather | w1 | 0x91 | e8},
		{VGATHERDPS, "vgatherdps", args{bV, lVM}, gather | w0 | 0x92 | e4},
		{VGATHERDPD, "vgatherdpd", args{bV, lVMH}, gather | w1 | 0x92 | e8},
		{VGATHERQPS, "vgatherqps", args{bH, lVM}, gather | w0 | 0x93 | e4},
		{VGATHERQPD, "vgatherqpd", args{bV, lVM}, gather | w1 | 0x93 | e8},
		{VPSCATTERDD, "vpscatterdd", args{oVM, sV}, scatter | w0 | 0xA0 | e4},
		{VPSCATTERDQ, "vpscatterdq", args{oVMH, sV}, scatter | w1 | 0xA0 | e8},
		{VPSCATTERQD, "vpscatterqd", args{oVM, sH}, scatter | w0 | 0xA1 | e4},
		{VPSCATTERQQ, "vpscatterqq", args{oVM, sV}, scatter | w1 | 0xA1 | e8},
		{VSCATTERDPS, "vscatterdps", args{oVM, sV}, scatter | w0 | 0xA2 | e4},
		{VSCATTERDPD, "vscatterdpd", args{oVMH, sV}, scatter | w1 | 0xA2 | e8},
		{VSCATTERQPS, "vscatterqps", args{oVM, sH}, scatter | w0 | 0xA3 | e4},
		{VSCATTERQPD, "vscatterqpd", args{oVM, sV}, scatter | w1 | 0xA3 | e8},
	},
)

const (
	gather  = evex | lAll | mkMerge | p66 | m0F38 | tScalar | gat
	scatter = evex | lAll | mkMerge | p66 | m0F38 | tScalar | sct
)

// fullMove returns the load, store and register forms of a move of whole
// vectors; pp and vpp are the prefixes of the EVEX and VEX forms.
func fullMove(op Op, name, vexName string, pp, vpp, load, store, elem enc) []form {
	return []form{
		{op, vexName, args{dV, mV}, vx | vpp | m0F | load | elem&^w1 | swap | mvp},
		{op, vexName, args{oMem, sV}, vx | vpp | m0F | store | elem&^w1},
		{op, name, args{dV, mV}, ev | pp | m0F | load | elem},
		{op, name, args{oMem, sV}, evex | lAll | mkMerge | pp | m0F | store | elem},
	}
}
