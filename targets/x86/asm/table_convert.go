package asm

// Conversions between integers and floats, and between float widths.

var convertForms = []form{
	{VCVTDQ2PS, "vcvtdq2ps", args{dV, mV}, evD | m0F | 0x5B | er | vx0},
	{VCVTPS2DQ, "vcvtps2dq", args{dV, mV}, evD | p66 | m0F | 0x5B | er | vx0},
	{VCVTTPS2DQ, "vcvttps2dq", args{dV, mV}, evD | pF3 | m0F | 0x5B | sae | vx0},
	{VCVTPS2UDQ, "vcvtps2udq", args{dV, mV}, evD | m0F | 0x79 | er},
	{VCVTTPS2UDQ, "vcvttps2udq", args{dV, mV}, evD | m0F | 0x78 | sae},
	{VCVTUDQ2PS, "vcvtudq2ps", args{dV, mV}, evD | pF2 | m0F | 0x7A | er},
	{VCVTDQ2PD, "vcvtdq2pd", args{dV, mH}, evD | tHalf | pF3 | m0F | 0xE6 | vx0},
	{VCVTUDQ2PD, "vcvtudq2pd", args{dV, mH}, evD | tHalf | pF3 | m0F | 0x7A},
	{VCVTPS2PD, "vcvtps2pd", args{dV, mH}, evD | tHalf | m0F | 0x5A | sae | vx0},
	{VCVTPD2PS, "vcvtpd2ps", args{dH, mV}, evQ | p66 | m0F | 0x5A | er | vx0},
	{VCVTPD2DQ, "vcvtpd2dq", args{dH, mV}, evQ | pF2 | m0F | 0xE6 | er | vx0},
	{VCVTTPD2DQ, "vcvttpd2dq", args{dH, mV}, evQ | p66 | m0F | 0xE6 | sae | vx0},
	{VCVTPD2UDQ, "vcvtpd2udq", args{dH, mV}, evQ | m0F | 0x79 | er},
	{VCVTTPD2UDQ, "vcvttpd2udq", args{dH, mV}, evQ | m0F | 0x78 | sae},
	{VCVTQQ2PS, "vcvtqq2ps", args{dH, mV}, evQ | m0F | 0x5B | er},
	{VCVTQQ2PD, "vcvtqq2pd", args{dV, mV}, evQ | pF3 | m0F | 0xE6 | er},
	{VCVTUQQ2PS, "vcvtuqq2ps", args{dH, mV}, evQ | pF2 | m0F | 0x7A | er},
	{VCVTUQQ2PD, "vcvtuqq2pd", args{dV, mV}, evQ | pF3 | m0F | 0x7A | er},
	{VCVTPS2QQ, "vcvtps2qq", args{dV, mH}, evD | tHalf | p66 | m0F | 0x7B | er},
	{VCVTTPS2QQ, "vcvttps2qq", args{dV, mH}, evD | tHalf | p66 | m0F | 0x7A | sae},
	{VCVTPS2UQQ, "vcvtps2uqq", args{dV, mH}, evD | tHalf | p66 | m0F | 0x79 | er},
	{VCVTTPS2UQQ, "vcvttps2uqq", args{dV, mH}, evD | tHalf | p66 | m0F | 0x78 | sae},
	{VCVTPD2QQ, "vcvtpd2qq", args{dV, mV}, evQ | p66 | m0F | 0x7B | er},
	{VCVTTPD2QQ, "vcvttpd2qq", args{dV, mV}, evQ | p66 | m0F | 0x7A | sae},
	{VCVTPD2UQQ, "vcvtpd2uqq", args{dV, mV}, evQ | p66 | m0F | 0x79 | er},
	{VCVTTPD2UQQ, "vcvttpd2uqq", args{dV, mV}, evQ | p66 | m0F | 0x78 | sae},
	{VCVTPH2PS, "vcvtph2ps", args{dV, mH}, ev | e2 | tHalf | p66 | m0F38 | w0 | 0x13 | sae | vx0},
	{VCVTPS2PH, "vcvtps2ph", args{tH, sV, imm8}, ev | e4 | tHalf | p66 | m0F3A | w0 | 0x1D | sae | vx0},

	{VCVTSI2SS, "vcvtsi2ss", args{dX, nX, mG}, fromInt | pF3 | 0x2A | vxs},
	{VCVTSI2SD, "vcvtsi2sd", args{dX, nX, mG}, fromInt | pF2 | 0x2A | vxs},
	{VCVTUSI2SS, "vcvtusi2ss", args{dX, nX, mG}, fromInt | pF3 | 0x7B},
	{VCVTUSI2SD, "vcvtusi2sd", args{dX, nX, mG}, fromInt | pF2 | 0x7B},
	{VCVTSS2SI, "vcvtss2si", args{dG, mX}, toInt | pF3 | 0x2D | e4 | er | vxs},
	{VCVTSD2SI, "vcvtsd2si", args{dG, mX}, toInt | pF2 | 0x2D | e8 | er | vxs},
	{VCVTTSS2SI, "vcvttss2si", args{dG, mX}, toInt | pF3 | 0x2C | e4 | sae | vxs},
	{VCVTTSD2SI, "vcvttsd2si", args{dG, mX}, toInt | pF2 | 0x2C | e8 | sae | vxs},
	{VCVTSS2USI, "vcvtss2usi", args{dG, mX}, toInt | pF3 | 0x79 | e4 | er},
	{VCVTSD2USI, "vcvtsd2usi", args{dG, mX}, toInt | pF2 | 0x79 | e8 | er},
	{VCVTTSS2USI, "vcvttss2usi", args{dG, mX}, toInt | pF3 | 0x78 | e4 | sae},
	{VCVTTSD2USI, "vcvttsd2usi", args{dG, mX}, toInt | pF2 | 0x78 | e8 | sae},
	{VCVTSS2SD, "vcvtss2sd", args{dX, nX, mX}, evSS | pF3 | m0F | 0x5A | sae | vx0},
	{VCVTSD2SS, "vcvtsd2ss", args{dX, nX, mX}, evSD | pF2 | m0F | 0x5A | er | vx0},
}

// Scalar conversions from and to integers: the memory operand of the former
// has Inst.Size bits. The conversion of a 32-bit integer to a double is exact, so the encoder
// rejects rounding for it.
const (
	fromInt = evex | lig | m0F | ws | sDQ | tScalar | er
	toInt   = evex | lig | m0F | ws | sDQ | tScalar
)
