#include "src/codec/block_scanner.h"

#include <bit>
#include <cstring>

#include "src/codec/json_text.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kinformer::internal {
namespace {

constexpr std::size_t kBlock = 64;

/// One bit per byte of a block, the first byte lowest.
struct Masks {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t opens = 0;
  std::uint64_t closes = 0;
};

#if defined(__SSE2__)
Masks Classify(const char* block) {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i open = _mm_set1_epi8('{');
  const __m128i close = _mm_set1_epi8('}');
  // '[' and ']' differ from '{' and '}' in this bit alone.
  const __m128i case_bit = _mm_set1_epi8(0x20);
  Masks masks;
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + std::size_t{16} * i));
    const __m128i folded = _mm_or_si128(bytes, case_bit);
    const auto bits = [i](__m128i equal) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(equal))) << (16U * i);
    };
    masks.quotes |= bits(_mm_cmpeq_epi8(bytes, quote));
    masks.backslashes |= bits(_mm_cmpeq_epi8(bytes, backslash));
    masks.opens |= bits(_mm_cmpeq_epi8(folded, open));
    masks.closes |= bits(_mm_cmpeq_epi8(folded, close));
  }
  return masks;
}
#else
Masks Classify(const char* block) {
  Masks masks;
  for (unsigned i = 0; i < kBlock; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const char folded = static_cast<char>(block[i] | 0x20);
    if (block[i] == '"') masks.quotes |= bit;
    if (block[i] == '\\') masks.backslashes |= bit;
    if (folded == '{') masks.opens |= bit;
    if (folded == '}') masks.closes |= bit;
  }
  return masks;
}
#endif

/// Bit i of the result: the parity of the bits 0..i.
std::uint64_t PrefixXor(std::uint64_t bits) {
  bits ^= bits << 1U;
  bits ^= bits << 2U;
  bits ^= bits << 4U;
  bits ^= bits << 8U;
  bits ^= bits << 16U;
  bits ^= bits << 32U;
  return bits;
}

/// In registers: without -mpopcnt the compiler's own is a call.
std::uint64_t CountBits(std::uint64_t bits) {
  bits -= (bits >> 1U) & 0x5555555555555555U;
  bits = (bits & 0x3333333333333333U) + ((bits >> 2U) & 0x3333333333333333U);
  bits = (bits + (bits >> 4U)) & 0x0F0F0F0F0F0F0F0FU;
  return (bits * 0x0101010101010101U) >> 56U;
}

}  // namespace

std::optional<std::size_t> BlockScanner::Step(const char* block, std::size_t size) {
  Masks masks = Classify(block);
  if (masks.backslashes != 0 || escaped_ != 0) {
    std::uint64_t escaped = escaped_;
    std::uint64_t open_escapes = masks.backslashes & ~escaped;
    std::uint64_t carry = 0;
    while (open_escapes != 0) {
      const auto at = static_cast<unsigned>(std::countr_zero(open_escapes));
      open_escapes &= open_escapes - 1;
      if (at + 1 == size) {
        carry = 1;
        break;
      }
      const std::uint64_t next = std::uint64_t{1} << (at + 1);
      escaped |= next;
      open_escapes &= ~next;
    }
    masks.quotes &= ~escaped;
    escaped_ = carry;
  }
  const std::uint64_t in_string = PrefixXor(masks.quotes) ^ in_string_;
  in_string_ = std::uint64_t{0} - (in_string >> 63U);
  const std::uint64_t opens = masks.opens & ~in_string;
  std::uint64_t closes = masks.closes & ~in_string;
  if (closes == 0) {
    depth_ += CountBits(opens);
    return std::nullopt;
  }
  if (const std::uint64_t count = CountBits(closes); depth_ > count) {
    depth_ += CountBits(opens) - count;
    return std::nullopt;
  }
  std::uint64_t closed = 0;
  while (closes != 0) {
    const auto at = static_cast<unsigned>(std::countr_zero(closes));
    closes &= closes - 1;
    ++closed;
    const std::uint64_t opened = CountBits(opens & ((std::uint64_t{1} << at) - 1));
    // ">=": a text that does not begin with a bracket ends at its first unmatched closing one.
    if (closed >= depth_ + opened) return at + 1;
  }
  depth_ += CountBits(opens) - closed;
  return std::nullopt;
}

std::optional<std::size_t> BlockScanner::FindEnd(std::string_view text) {
  std::size_t pos = 0;
  for (; pos + kBlock <= text.size(); pos += kBlock) {
    if (const auto end = Step(text.data() + pos, kBlock)) return pos + *end;
  }
  if (pos == text.size()) return std::nullopt;
  char rest[kBlock];
  std::memset(rest, ' ', sizeof(rest));
  std::memcpy(rest, text.data() + pos, text.size() - pos);
  if (const auto end = Step(rest, text.size() - pos)) return pos + *end;
  return std::nullopt;
}

std::size_t ValueEnd(std::string_view text, std::size_t begin) {
  if (begin >= text.size()) return text.size();
  const char first = text[begin];
  if (first == '"') return StringEnd(text, begin);
  if (first == '{' || first == '[') {
    return begin + BlockScanner().FindEnd(text.substr(begin)).value_or(text.size() - begin);
  }
  std::size_t end = begin;
  while (end < text.size() && !EndsJsonScalar(text[end])) ++end;
  return end;
}

}  // namespace kinformer::internal
