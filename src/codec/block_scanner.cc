#include "src/codec/block_scanner.h"

#include <bit>
#include <cstring>

#include "src/codec/json_text.h"

// Every x86-64 processor has SSE2; nearly all have AVX2, which is detected at run time. Other processors use the
// portable code.
#if defined(__x86_64__) && defined(__GNUC__)
#define KINFORMER_X86_64 1
#include <immintrin.h>
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

/// One implementation per instruction set. '[' and ']' differ from '{' and '}' only in the bit 0x20.
struct Portable {
  static Masks Classify(const char* block) {
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
  /// Bit i of the result: the parity of the bits 0..i.
  static std::uint64_t PrefixXor(std::uint64_t bits) {
    bits ^= bits << 1U;
    bits ^= bits << 2U;
    bits ^= bits << 4U;
    bits ^= bits << 8U;
    bits ^= bits << 16U;
    bits ^= bits << 32U;
    return bits;
  }
  static std::uint64_t CountBits(std::uint64_t bits) {
    bits -= (bits >> 1U) & 0x5555555555555555U;
    bits = (bits & 0x3333333333333333U) + ((bits >> 2U) & 0x3333333333333333U);
    bits = (bits + (bits >> 4U)) & 0x0F0F0F0F0F0F0F0FU;
    return (bits * 0x0101010101010101U) >> 56U;
  }
};

#if defined(KINFORMER_X86_64)
struct Sse2 : Portable {
  static Masks Classify(const char* block) {
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i open = _mm_set1_epi8('{');
    const __m128i close = _mm_set1_epi8('}');
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
};

#define KINFORMER_AVX2 __attribute__((target("avx2,bmi,popcnt,pclmul")))

struct Avx2 {
  KINFORMER_AVX2 static std::uint64_t Equal(__m256i low, __m256i high, char c) {
    const __m256i wanted = _mm256_set1_epi8(c);
    const auto low_bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted)));
    const auto high_bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted)));
    return low_bits | (static_cast<std::uint64_t>(high_bits) << 32U);
  }
  KINFORMER_AVX2 static Masks Classify(const char* block) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32));
    const __m256i case_bit = _mm256_set1_epi8(0x20);
    const __m256i folded_low = _mm256_or_si256(low, case_bit);
    const __m256i folded_high = _mm256_or_si256(high, case_bit);
    return {Equal(low, high, '"'), Equal(low, high, '\\'), Equal(folded_low, folded_high, '{'),
            Equal(folded_low, folded_high, '}')};
  }
  KINFORMER_AVX2 static std::uint64_t PrefixXor(std::uint64_t bits) {
    const __m128i all_ones = _mm_set1_epi8('\xFF');
    const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(bits)), all_ones, 0);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
  }
  KINFORMER_AVX2 static std::uint64_t CountBits(std::uint64_t bits) {
    return static_cast<std::uint64_t>(_mm_popcnt_u64(bits));
  }
};
#endif

constexpr std::size_t kNotFound = static_cast<std::size_t>(-1);

/// Processes one block, of which the first `size` bytes are input. Inlined into one loop per instruction set.
template <typename Cpu>
[[gnu::always_inline]] inline std::size_t Step(BlockScannerState& state, const char* block, std::size_t size) {
  Masks masks = Cpu::Classify(block);
  if ((masks.backslashes | state.escaped) != 0) {
    std::uint64_t escaped = state.escaped;
    std::uint64_t open_escapes = masks.backslashes & ~escaped;
    state.escaped = 0;
    while (open_escapes != 0) {
      const auto at = static_cast<unsigned>(std::countr_zero(open_escapes));
      open_escapes &= open_escapes - 1;
      if (at + 1 == size) {
        state.escaped = 1;
        break;
      }
      const std::uint64_t next = std::uint64_t{1} << (at + 1);
      escaped |= next;
      open_escapes &= ~next;
    }
    masks.quotes &= ~escaped;
  }
  const std::uint64_t in_string = Cpu::PrefixXor(masks.quotes) ^ state.in_string;
  state.in_string = std::uint64_t{0} - (in_string >> 63U);
  const std::uint64_t opens = masks.opens & ~in_string;
  std::uint64_t closes = masks.closes & ~in_string;
  const std::uint64_t count = Cpu::CountBits(closes);
  if (state.depth > count || count == 0) {
    state.depth += Cpu::CountBits(opens) - count;
    return kNotFound;
  }
  std::uint64_t closed = 0;
  while (closes != 0) {
    const auto at = static_cast<unsigned>(std::countr_zero(closes));
    closes &= closes - 1;
    ++closed;
    const std::uint64_t opened = Cpu::CountBits(opens & ((std::uint64_t{1} << at) - 1));
    // ">=": a text that does not begin with a bracket ends at its first unmatched closing one.
    if (closed >= state.depth + opened) return at + 1;
  }
  state.depth += Cpu::CountBits(opens) - closed;
  return kNotFound;
}

template <typename Cpu>
[[gnu::always_inline]] inline std::size_t Scan(BlockScannerState& kept, std::string_view text) {
  BlockScannerState state = kept;
  std::size_t pos = 0;
  for (; pos + kBlock <= text.size(); pos += kBlock) {
    if (const std::size_t end = Step<Cpu>(state, text.data() + pos, kBlock); end != kNotFound) return pos + end;
  }
  std::size_t end = kNotFound;
  if (pos != text.size()) {
    char rest[kBlock];
    std::memset(rest, ' ', sizeof(rest));
    std::memcpy(rest, text.data() + pos, text.size() - pos);
    end = Step<Cpu>(state, rest, text.size() - pos);
  }
  kept = state;
  return end == kNotFound ? end : pos + end;
}

std::size_t ScanPortable(BlockScannerState& state, std::string_view text) { return Scan<Portable>(state, text); }
#if defined(KINFORMER_X86_64)
std::size_t ScanSse2(BlockScannerState& state, std::string_view text) { return Scan<Sse2>(state, text); }
[[gnu::flatten]] KINFORMER_AVX2 std::size_t ScanAvx2(BlockScannerState& state, std::string_view text) {
  return Scan<Avx2>(state, text);
}
#endif

using ScanFunction = std::size_t (*)(BlockScannerState&, std::string_view);

ScanFunction ScanFor(ScannerCpu cpu) {
#if defined(KINFORMER_X86_64)
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 &&
                        __builtin_cpu_supports("popcnt") != 0 && __builtin_cpu_supports("pclmul") != 0;
  if (cpu == ScannerCpu::kBest && has_avx2) return ScanAvx2;
  if (cpu != ScannerCpu::kPortable) return ScanSse2;
#endif
  return ScanPortable;
}

}  // namespace

std::optional<std::size_t> BlockScanner::FindEnd(std::string_view text) {
  static const ScanFunction best = ScanFor(ScannerCpu::kBest);
  const std::size_t end = cpu_ == ScannerCpu::kBest ? best(state_, text) : ScanFor(cpu_)(state_, text);
  return end == kNotFound ? std::nullopt : std::optional<std::size_t>(end);
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
