// Shortest decimals by the Schubfach method (R. Giulietti, The Schubfach way to render doubles, 2020).
//
// A double c 2^q stands for the interval of reals that round to it. The widest 10^k that is narrower than the interval
// gives a grid of which one or two points lie inside; if the grid of 10^(k+1) has a point inside too, that one is
// shorter. Products with powers of ten are needed to 64 bits only, rounded to odd so that comparisons stay exact.
//
// What always holds: strtod of the text is the number, bit for bit, and no shorter digits have that property.
#include "base/decimal.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/// Most digits of a shortest decimal; copies of this fixed length are faster than of the exact one.
enum { DIGITS = 17 };
enum { LOWEST = -292, HIGHEST = 324, POWERS = HIGHEST - LOWEST + 1 };

typedef unsigned __int128 Wide;

/// 10^k scaled by a power of two to [2^127, 2^128), rounded up.
static Wide power_of_ten[POWERS];
static pthread_once_t powers_made = PTHREAD_ONCE_INIT;

/// A large natural number, 32 bits a word, lowest first: 5^324 has 753 bits, and a remainder needs two more.
enum { WORDS = 26 };
typedef struct Large {
    uint32_t word[WORDS];
} Large;

static int bits_of(const Large *a) {
    for (int i = WORDS - 1; i >= 0; i--)
        if (a->word[i]) return 32 * i + 32 - __builtin_clz(a->word[i]);
    return 0;
}

static bool at_least(const Large *a, const Large *b) {
    for (int i = WORDS - 1; i >= 0; i--)
        if (a->word[i] != b->word[i]) return a->word[i] > b->word[i];
    return true;
}

static void subtract(Large *a, const Large *b) {
    int64_t borrow = 0;
    for (int i = 0; i < WORDS; i++) {
        int64_t difference = (int64_t)a->word[i] - b->word[i] + borrow;
        a->word[i] = (uint32_t)difference;
        borrow = difference >> 32;
    }
}

static void times(Large *a, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; i++) {
        carry += (uint64_t)a->word[i] * factor;
        a->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/// The leading 128 bits of a, rounded up.
static Wide leading_bits(const Large *a) {
    int bits = bits_of(a);
    Wide lead = 0;
    bool rest = false;
    for (int i = bits - 1; i >= 0; i--) {
        bool bit = a->word[i / 32] >> (i % 32) & 1;
        if (i >= bits - 128)
            lead = lead << 1 | bit;
        else
            rest |= bit;
    }
    if (bits < 128) lead <<= 128 - bits;
    return lead + rest;
}

/// The leading 128 bits of 1 / a, rounded up, by long division. a > 1 is odd.
static Wide leading_bits_of_inverse(const Large *a) {
    Large rest = {{0}};
    rest.word[(bits_of(a) - 1) / 32] = 1u << ((bits_of(a) - 1) % 32);
    Wide quotient = 0;
    for (int i = 0; i < 128; i++) {
        times(&rest, 2);
        bool one = at_least(&rest, a);
        if (one) subtract(&rest, a);
        quotient = quotient << 1 | one;
    }
    return quotient + 1; // never exact: a has no factor 2
}

static void make_powers(void) {
    Large five = {{1}};
    for (int k = 0; k <= HIGHEST; k++) {
        power_of_ten[k - LOWEST] = leading_bits(&five); // 10^k and 5^k differ by a power of two
        if (k > 0 && -k >= LOWEST) power_of_ten[-k - LOWEST] = leading_bits_of_inverse(&five);
        times(&five, 5);
    }
}

/// Upper 64 bits of g c / 2^64, the lowest one set if anything was cut off.
static uint64_t round_to_odd(Wide g, uint64_t c) {
    Wide low = (Wide)(uint64_t)g * c, high = (Wide)(uint64_t)(g >> 64) * c + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/// Digits and exponent of a positive double: value = digits * 10^exponent.
static uint64_t shortest(uint64_t bits, int *exponent) {
    uint64_t fraction = bits & 0xfffffffffffffull;
    int biased = (int)(bits >> 52 & 0x7ff);
    uint64_t c = biased ? fraction | 1ull << 52 : fraction;
    int q = (biased ? biased : 1) - 1075;
    bool even = !(c & 1), closer_below = fraction == 0 && biased > 1;
    int k = closer_below ? (q * 1262611 - 524031) >> 22 : (q * 1262611) >> 22; // floor(log10(2^q)), of 3/4 2^q
    int h = q + ((-k * 1741647) >> 19) + 1;                                    // floor(log2(10^-k))
    Wide g = power_of_ten[-k - LOWEST];
    uint64_t lower = round_to_odd(g, (4 * c - 2 + closer_below) << h) + !even;
    uint64_t here = round_to_odd(g, (4 * c) << h);
    uint64_t upper = round_to_odd(g, (4 * c + 2) << h) - !even;
    uint64_t s = here / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
        if (below != above) {
            *exponent = k + 1;
            return tens + above;
        }
    }
    *exponent = k;
    bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    if (below != above) return s + above;
    uint64_t middle = 4 * s + 2;
    return s + (here > middle || (here == middle && (s & 1)));
}

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
    "9899";

/// Digits of a number at the end of a field of 20 bytes; returns the first of them.
static char *digits_before(char *end, uint64_t value) {
    while (value >= 100) {
        end -= 2;
        memcpy(end, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, pairs + 2 * value, 2);
    } else {
        *--end = (char)('0' + value);
    }
    return end;
}

static void eight_digits(char *out, uint32_t value) {
    uint32_t high = value / 10000, low = value % 10000;
    memcpy(out, pairs + 2 * (high / 100), 2);
    memcpy(out + 2, pairs + 2 * (high % 100), 2);
    memcpy(out + 4, pairs + 2 * (low / 100), 2);
    memcpy(out + 6, pairs + 2 * (low % 100), 2);
}

char *mrn_decimal_write_integer(char *out, int64_t value) {
    char field[20];
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value < 0) *out++ = '-';
    char *first = digits_before(field + sizeof field, magnitude);
    ptrdiff_t length = field + sizeof field - first;
    if (length <= 4) { // the usual case: frame and body numbers
        for (ptrdiff_t i = 0; i < length; i++) out[i] = first[i];
        return out + length;
    }
    memcpy(out, first, (size_t)length);
    return out + length;
}

char *mrn_decimal_write_fixed(char *out, int64_t value, int decimals) {
    char field[DIGITS + 23]; // 20 digits at most, before them zeros for the places behind the point
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (!magnitude) return *out = '0', out + 1;
    if (value < 0) *out++ = '-';
    while (decimals > 0 && magnitude % 10 == 0) magnitude /= 10, decimals--;
    char *end = field + sizeof field;
    memset(field, '0', sizeof field);
    char *first = digits_before(end, magnitude), *point = end - decimals;
    if (first >= point) first = point - 1; // a zero before the point
    size_t whole = (size_t)(point - first);
    memcpy(out, first, whole);
    out += whole;
    if (decimals) {
        *out++ = '.';
        memcpy(out, point, (size_t)decimals);
        out += decimals;
    }
    return out;
}

char *mrn_decimal_write(char *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value)) return memcpy(out, "nan", 3), out + 3;
    if (bits >> 63) *out++ = '-';
    bits &= ~(1ull << 63);
    if (isinf(value)) return memcpy(out, "inf", 3), out + 3;
    if (!bits) return *out = '0', out + 1;
    double magnitude = fabs(value);
    if (magnitude < 0x1p53 && magnitude == (double)(int64_t)magnitude)
        return mrn_decimal_write_integer(out, (int64_t)magnitude);

    pthread_once(&powers_made, make_powers);
    int exponent;
    uint64_t digits = shortest(bits, &exponent);
    // At most 17 digits, in pieces that do not wait for each other.
    char field[2 * DIGITS] = {0}, *first = field, *end = field + DIGITS;
    uint64_t upper = digits / 100000000;
    field[0] = (char)('0' + upper / 100000000);
    eight_digits(field + 1, (uint32_t)(upper % 100000000));
    eight_digits(field + 9, (uint32_t)(digits % 100000000));
    while (*first == '0') first++;
    while (end[-1] == '0') end--, exponent++;
    int count = (int)(end - first), point = count + exponent; // digits before the point
    if (point > 0 && point <= 16) {
        if (point >= count) {
            memcpy(out, first, DIGITS);
            memset(out + count, '0', (size_t)(point - count));
            return out + point;
        }
        memcpy(out, first, DIGITS);
        out[point] = '.';
        memcpy(out + point + 1, first + point, DIGITS);
        return out + count + 1;
    }
    if (point <= 0 && point > -5) {
        memcpy(out, "0.000000", 8);
        out += 2 - point;
        memcpy(out, first, DIGITS);
        return out + count;
    }
    *out++ = *first;
    if (count > 1) {
        *out++ = '.';
        memcpy(out, first + 1, DIGITS);
        out += count - 1;
    }
    *out++ = 'e';
    return mrn_decimal_write_integer(out, point - 1);
}
