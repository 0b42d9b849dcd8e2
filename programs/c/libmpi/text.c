/* Text output: conversions of printf, whole numbers and floating point exactly, as the C standard has them. */
#include "stdio.h"
#include "string.h"
#include "unit.h"

struct text_stream { int number; };
static FILE streams[2] = {{1}, {2}};
FILE *const stdout = streams, *const stderr = streams + 1;

/* Where converted characters go: to the console, or to a text of a size. */
struct sink {
  char *to;
  size_t size, count;
};

static void put(struct sink *sink, char c) {
  if (!sink->to)
    print_char(c);
  else if (sink->count + 1 < sink->size)
    sink->to[sink->count] = c;
  sink->count++;
}

static void put_many(struct sink *sink, char c, int count) {
  while (count-- > 0) put(sink, c);
}

/* A conversion: flags, width, precision (-1 if there is none) and kind. */
struct form {
  int left, plus, blank, zero, other, width, precision;
  char kind;
};

/* Sign or prefix, zeros, digits, zeros behind them, in the width. */
static void put_field(struct sink *sink, const struct form *form, const char *prefix, int zeros, const char *digits, int count) {
  int length = (int)strlen(prefix), fill = form->width - length - zeros - count;
  if (!form->left && !form->zero) put_many(sink, ' ', fill);
  while (*prefix) put(sink, *prefix++);
  if (!form->left && form->zero) put_many(sink, '0', fill);
  put_many(sink, '0', zeros);
  for (int k = 0; k < count; k++) put(sink, digits[k]);
  if (form->left) put_many(sink, ' ', fill);
}

static const char *sign(const struct form *form, int is_negative) {
  return is_negative ? "-" : form->plus ? "+" : form->blank ? " " : "";
}

static void put_whole(struct sink *sink, struct form form, uint64_t value, int is_negative) {
  char digits[24];
  int base = form.kind == 'x' || form.kind == 'X' || form.kind == 'p' ? 16 : form.kind == 'o' ? 8 : 10, at = sizeof digits;
  const char *letters = form.kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  int is_zero = !value;
  for (; value; value /= (unsigned)base) digits[--at] = letters[value % (unsigned)base];
  if (is_zero && form.precision) digits[--at] = '0';
  int count = (int)sizeof digits - at, zeros = form.precision > count ? form.precision - count : 0;
  int is_signed = form.kind == 'd' || form.kind == 'i';
  const char *prefix = is_signed ? sign(&form, is_negative) : "";
  if (base == 16 && (form.kind == 'p' || (form.other && !is_zero))) prefix = form.kind == 'X' ? "0X" : "0x";
  if (form.precision >= 0) form.zero = 0;
  put_field(sink, &form, prefix, zeros, digits + at, count);
}

/* Digits of a number below 2^1024 that is not negative, all of them: `point` of them stand before the point. */
struct decimal {
  char digits[1100];
  int count, point;
};

enum { WORDS = 130 };
static const uint32_t NINES = 1000000000;

/* The number is mantissa times 2 to the power: words of nine digits, the first of weight 10^9^`first`. */
static void to_decimal(struct decimal *decimal, uint64_t mantissa, int power) {
  static uint32_t words[WORDS];
  enum { ONES = 40 };
  int high = ONES, low = ONES;
  words[ONES] = (uint32_t)(mantissa % NINES);
  words[ONES - 1] = (uint32_t)(mantissa / NINES % NINES);
  words[ONES - 2] = (uint32_t)(mantissa / NINES / NINES);
  high = ONES - 2;
  while (power > 0) {
    int shift = power > 29 ? 29 : power;
    uint64_t carry = 0;
    for (int k = low; k >= high; k--) {
      uint64_t value = ((uint64_t)words[k] << shift) + carry;
      words[k] = (uint32_t)(value % NINES);
      carry = value / NINES;
    }
    if (carry) words[--high] = (uint32_t)carry;
    power -= shift;
  }
  while (power < 0) {
    int shift = power < -9 ? 9 : -power;
    uint32_t rest = 0, mask = (1u << shift) - 1;
    for (int k = high; k <= low; k++) {
      uint32_t value = words[k];
      words[k] = (value >> shift) + rest;
      rest = (NINES >> shift) * (value & mask);
    }
    if (rest) words[++low] = rest;
    power += shift;
  }
  while (high < ONES && !words[high]) high++;
  decimal->count = 0;
  for (int k = high; k <= low; k++)
    for (uint32_t unit = NINES / 10; unit; unit /= 10)
      if (decimal->count || words[k] / unit % 10 || k > ONES || (k == ONES && unit == 1))
        decimal->digits[decimal->count++] = (char)('0' + words[k] / unit % 10);
  decimal->point = decimal->count - 9 * (low - ONES);
}

/* Rounds to so many digits, to even where two are as near. */
static void round_to(struct decimal *decimal, int count) {
  if (count >= decimal->count) return;
  int is_up = 0;
  if (count >= 0) {
    int next = decimal->digits[count] - '0', is_more = 0;
    for (int k = count + 1; k < decimal->count; k++) is_more |= decimal->digits[k] != '0';
    int is_odd = count > 0 && (decimal->digits[count - 1] & 1);
    is_up = next > 5 || (next == 5 && (is_more || is_odd));
  }
  decimal->count = count < 0 ? 0 : count;
  int at = decimal->count;
  while (is_up && at) {
    at--;
    is_up = decimal->digits[at] == '9';
    decimal->digits[at] = is_up ? '0' : (char)(decimal->digits[at] + 1);
  }
  if (is_up) {
    memmove(decimal->digits + 1, decimal->digits, (size_t)decimal->count);
    decimal->digits[0] = '1';
    decimal->count++;
    decimal->point++;
  }
}

static char digit(const struct decimal *decimal, int at) {
  return at >= 0 && at < decimal->count ? decimal->digits[at] : '0';
}

/* Digits with so many behind the point. */
static int fixed(const struct decimal *decimal, char *text, int behind, int has_point) {
  int count = 0;
  for (int k = decimal->point < 1 ? decimal->point - 1 : 0; k < decimal->point; k++) text[count++] = digit(decimal, k);
  if (!count) text[count++] = '0';
  if (behind || has_point) text[count++] = '.';
  for (int k = 0; k < behind; k++) text[count++] = digit(decimal, decimal->point + k);
  return count;
}

static int scientific(const struct decimal *decimal, char *text, int behind, int has_point, char letter, int is_zero) {
  int count = 0, power = is_zero ? 0 : decimal->point - 1;
  text[count++] = digit(decimal, 0);
  if (behind || has_point) text[count++] = '.';
  for (int k = 1; k <= behind; k++) text[count++] = digit(decimal, k);
  text[count++] = letter;
  text[count++] = power < 0 ? '-' : '+';
  if (power < 0) power = -power;
  if (power > 99) text[count++] = (char)('0' + power / 100);
  text[count++] = (char)('0' + power / 10 % 10);
  text[count++] = (char)('0' + power % 10);
  return count;
}

enum { MOST_BEHIND = 340 };

static int without_zeros(const char *text, int count) {
  while (count && text[count - 1] == '0') count--;
  return count && text[count - 1] == '.' ? count - 1 : count;
}

/* Conversion g: whichever form is shorter, without zeros at the end. */
static int general(struct decimal *decimal, char *text, const struct form *form, int is_zero, char letter) {
  int digits = form->precision < 0 ? 6 : form->precision ? form->precision : 1;
  round_to(decimal, digits);
  int power = is_zero ? 0 : decimal->point - 1;
  if (power >= -4 && power < digits) {
    int count = fixed(decimal, text, digits - 1 - power, form->other);
    return form->other || digits - 1 - power == 0 ? count : without_zeros(text, count);
  }
  int behind = digits - 1;
  while (!form->other && behind && digit(decimal, behind) == '0') behind--;
  return scientific(decimal, text, behind, form->other, letter, is_zero);
}

static void put_number(struct sink *sink, struct form form, double value) {
  static struct decimal decimal;
  static char text[MOST_BEHIND + 340];
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int is_upper = form.kind < 'a', count, exponent = (int)(bits >> 52 & 2047);
  char kind = (char)(is_upper ? form.kind + 32 : form.kind);
  uint64_t mantissa = bits & ((1ull << 52) - 1);
  const char *prefix = sign(&form, (int)(bits >> 63));
  if (exponent == 2047) {
    form.zero = 0;
    put_field(sink, &form, prefix, 0, mantissa ? (is_upper ? "NAN" : "nan") : is_upper ? "INF" : "inf", 3);
    return;
  }
  to_decimal(&decimal, exponent ? mantissa | 1ull << 52 : mantissa, (exponent ? exponent : 1) - 1075);
  int is_zero = !exponent && !mantissa;
  /* The first digit that is not 0. */
  int lead = 0;
  while (!is_zero && decimal.digits[lead] == '0') lead++;
  memmove(decimal.digits, decimal.digits + lead, (size_t)(decimal.count - lead));
  decimal.count -= lead;
  decimal.point -= lead;
  int behind = form.precision < 0 ? 6 : form.precision > MOST_BEHIND ? MOST_BEHIND : form.precision;
  if (kind == 'g') {
    count = general(&decimal, text, &form, is_zero, is_upper ? 'E' : 'e');
  } else if (kind == 'e') {
    round_to(&decimal, behind + 1);
    count = scientific(&decimal, text, behind, form.other, is_upper ? 'E' : 'e', is_zero);
  } else {
    round_to(&decimal, decimal.point + behind);
    count = fixed(&decimal, text, behind, form.other);
  }
  put_field(sink, &form, prefix, 0, text, count);
}

static int number_of(const char **at) {
  int number = 0;
  while (**at >= '0' && **at <= '9') number = 10 * number + *(*at)++ - '0';
  return number;
}

/* Reads what stands between % and the kind; how many `l`: 2 for 64 bits. */
static int read_form(struct form *form, const char **at, va_list *values) {
  *form = (struct form){.precision = -1};
  for (;; ++*at) {
    if (**at == '-') form->left = 1;
    else if (**at == '+') form->plus = 1;
    else if (**at == ' ') form->blank = 1;
    else if (**at == '0') form->zero = 1;
    else if (**at == '#') form->other = 1;
    else break;
  }
  if (**at == '*') {
    ++*at;
    form->width = va_arg(*values, int);
    if (form->width < 0) form->left = 1, form->width = -form->width;
  } else {
    form->width = number_of(at);
  }
  if (**at == '.') {
    ++*at;
    if (**at == '*') ++*at, form->precision = va_arg(*values, int);
    else form->precision = number_of(at);
  }
  int size = 0;
  for (;; ++*at) {
    if (**at == 'l' || **at == 'z' || **at == 'j' || **at == 't') size = 8;
    else if (**at == 'h') size = size == 2 ? 1 : 2;
    else break;
  }
  form->kind = **at;
  if (**at) ++*at;
  return size;
}

static int64_t narrowed(int64_t value, int size) {
  return size == 8 ? value : size == 2 ? (int16_t)value : size == 1 ? (int8_t)value : (int32_t)value;
}

static uint64_t narrowed_unsigned(uint64_t value, int size) {
  return size == 8 ? value : size == 2 ? (uint16_t)value : size == 1 ? (uint8_t)value : (uint32_t)value;
}

static void convert(struct sink *sink, const struct form *form, int size, va_list *values) {
  switch (form->kind) {
    case 'd': case 'i': {
      int64_t value = narrowed(size == 8 ? va_arg(*values, int64_t) : va_arg(*values, int), size);
      put_whole(sink, *form, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
      return;
    }
    case 'u': case 'x': case 'X': case 'o':
      put_whole(sink, *form, narrowed_unsigned(size == 8 ? va_arg(*values, uint64_t) : va_arg(*values, unsigned), size), 0);
      return;
    case 'p': put_whole(sink, *form, (uint64_t)va_arg(*values, uintptr_t), 0); return;
    case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': put_number(sink, *form, va_arg(*values, double)); return;
    case 'c': {
      char c = (char)va_arg(*values, int);
      put_field(sink, form, "", 0, &c, 1);
      return;
    }
    case 's': {
      const char *text = va_arg(*values, const char *);
      int count = 0;
      if (!text) text = "(null)";
      while ((form->precision < 0 || count < form->precision) && text[count]) count++;
      put_field(sink, form, "", 0, text, count);
      return;
    }
    default: put(sink, form->kind);
  }
}

static int format_to(struct sink *sink, const char *format, va_list given) {
  va_list values;
  va_copy(values, given);
  while (*format) {
    if (*format != '%') {
      put(sink, *format++);
      continue;
    }
    struct form form;
    format++;
    int size = read_form(&form, &format, &values);
    convert(sink, &form, size, &values);
  }
  va_end(values);
  return (int)sink->count;
}

int vprintf(const char *format, va_list values) {
  struct sink sink = {0, 0, 0};
  return format_to(&sink, format, values);
}

int vsnprintf(char *to, size_t size, const char *format, va_list values) {
  char none;
  struct sink sink = {size ? to : &none, size, 0};
  int count = format_to(&sink, format, values);
  if (size) to[sink.count < size ? sink.count : size - 1] = 0;
  return count;
}

int printf(const char *format, ...) {
  va_list values;
  va_start(values, format);
  int count = vprintf(format, values);
  va_end(values);
  return count;
}

int fprintf(FILE *stream, const char *format, ...) {
  (void)stream;
  va_list values;
  va_start(values, format);
  int count = vprintf(format, values);
  va_end(values);
  return count;
}

int sprintf(char *to, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int count = vsnprintf(to, (size_t)-1 >> 1, format, values);
  va_end(values);
  return count;
}

int snprintf(char *to, size_t size, const char *format, ...) {
  va_list values;
  va_start(values, format);
  int count = vsnprintf(to, size, format, values);
  va_end(values);
  return count;
}

int putchar(int c) {
  print_char((char)c);
  return (unsigned char)c;
}

int puts(const char *text) {
  print(text);
  print_char('\n');
  return 0;
}

int fputs(const char *text, FILE *stream) {
  (void)stream;
  print(text);
  return 0;
}

int fputc(int c, FILE *stream) {
  (void)stream;
  return putchar(c);
}

int fflush(FILE *stream) {
  (void)stream;
  return 0;
}
