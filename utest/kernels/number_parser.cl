// A state machine that parses decimal numbers from bytes; malformed ones give an error code.
// run: -k number_parser -g 300 b:uchar:2708:str,-12.5e1,+7.25;3..1,9e-2,x44,.5,6e,0.0625,-,1e+3; b:float:300 b:int:300
// sum: 0 5c54fb007700fbe9
// sum: 1 51a36f5ae49e6e54
// sum: 2 58a7e66f5ba50887
__kernel void number_parser(__global const uchar *text, __global float *value, __global int *status) {
  enum { SIGN, WHOLE, POINT, FRACTION, EXP, EXP_SIGN, EXP_DIGITS, BAD };
  int i = get_global_id(0);
  __global const uchar *p = text + i * 9, *end = p + 8;
  int state = SIGN, negative = 0, exp_negative = 0, digits = 0, exponent = 0, scale = 0;
  int mantissa = 0;
  for (; p < end && *p != ',' && *p != ';'; p++) {
    uchar c = *p;
    int is_digit = c >= '0' && c <= '9';
    switch (state) {
    case SIGN:
      state = WHOLE;
      if (c == '-' || c == '+') {
        negative = c == '-';
        continue;
      }
    case WHOLE:
      if (is_digit) {
        mantissa = mantissa * 10 + (c - '0');
        digits++;
        break;
      }
      if (c == '.') {
        state = FRACTION;
        break;
      }
    case FRACTION:
      if (is_digit) {
        mantissa = mantissa * 10 + (c - '0');
        digits++;
        scale--;
      } else if (c == 'e' && digits > 0)
        state = EXP;
      else
        state = BAD;
      break;
    case EXP:
      state = EXP_DIGITS;
      if (c == '-' || c == '+') {
        exp_negative = c == '-';
        break;
      }
    case EXP_DIGITS:
      if (is_digit)
        exponent = exponent * 10 + (c - '0');
      else
        state = BAD;
      break;
    }
    if (state == BAD)
      break;
  }
  if (digits == 0)
    state = BAD;
  float r = (float)(negative ? -mantissa : mantissa);
  scale += exp_negative ? -exponent : exponent;
  if (scale > 30 || scale < -30)
    state = BAD;
  while (state != BAD && scale > 0) {
    r *= 10.0f;
    scale--;
  }
  while (state != BAD && scale < 0) {
    r /= 10.0f;
    scale++;
  }
  value[i] = state == BAD ? 0.0f : r;
  status[i] = state * 100 + digits;
}
// bench: -k number_parser -g 100000 b:uchar:900008:rand,5,43,62 b:float:100000 b:int:100000
// sum: 0 c3480b9140be8dd0
// sum: 1 4cef4fb65a5348b9
// sum: 2 34a68693c78ed550
