#include "src/codec/block_scanner.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace kinformer::internal {
namespace {

/// Byte-by-byte reference implementation of the scanner.
std::optional<std::size_t> Reference(std::string_view text) {
  bool in_string = false;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth <= 0) {
      return i + 1;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> InPieces(std::string_view text, std::size_t piece, ScannerCpu cpu) {
  BlockScanner scanner(cpu);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (const auto end = scanner.FindEnd(text.substr(at, piece))) return at + *end;
  }
  return std::nullopt;
}

/// Pseudo-random brackets, quotes, backslashes and other bytes. Deterministic for a given seed.
std::string Noise(unsigned seed, std::size_t size) {
  static constexpr std::string_view kBytes = "{}[]\"\\{[\"aaaa: ,\xC3";
  std::string out = "{";
  unsigned x = seed * 2654435761U + 1;
  while (out.size() < size) {
    x = x * 1664525U + 1013904223U;
    out.push_back(kBytes[(x >> 16U) % kBytes.size()]);
  }
  return out;
}

/// Valid JSON has backslashes only inside strings.
bool BackslashOutsideString(std::string_view text) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!in_string && text[i] == '\\') return true;
    if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    }
  }
  return false;
}

TEST(BlockScannerTest, EveryProcessorAndEveryChunkingFindsTheSameEnd) {
  int compared = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    const std::string text = Noise(seed, 1 + seed % 300);
    const auto expected = Reference(text);
    if (BackslashOutsideString(std::string_view(text).substr(0, expected.value_or(text.size())))) continue;
    ++compared;
    for (const ScannerCpu cpu : {ScannerCpu::kBest, ScannerCpu::kBaseline, ScannerCpu::kPortable}) {
      for (const std::size_t piece : {1U, 2U, 7U, 63U, 64U, 65U, 1000U}) {
        ASSERT_EQ(InPieces(text, piece, cpu), expected) << text << " in pieces of " << piece;
      }
    }
  }
  EXPECT_GT(compared, 100);
}

TEST(BlockScannerTest, EscapesAcrossTheEdgeOfABlockAreRight) {
  for (std::size_t before = 50; before < 70; ++before) {
    for (std::size_t backslashes = 0; backslashes < 6; ++backslashes) {
      const std::string text = "{\"" + std::string(before, 'a') + std::string(backslashes, '\\') + "\"}\"}";
      for (const ScannerCpu cpu : {ScannerCpu::kBest, ScannerCpu::kBaseline, ScannerCpu::kPortable}) {
        for (const std::size_t piece : {1U, 64U, 1000U}) {
          EXPECT_EQ(InPieces(text, piece, cpu), Reference(text)) << text;
        }
      }
    }
  }
}

TEST(BlockScannerTest, BytesAfterTheEndAreNotLookedAt) {
  EXPECT_EQ(BlockScanner().FindEnd("{}}}}\"\"\\["), 2U);
  EXPECT_EQ(BlockScanner().FindEnd("[[]],{"), 4U);
}

TEST(BlockScannerTest, AResetScannerBeginsAnew) {
  BlockScanner scanner;
  EXPECT_FALSE(scanner.FindEnd("{\"a\\"));
  scanner.Reset();
  EXPECT_EQ(scanner.FindEnd("[]"), 2U);
}

TEST(BlockScannerTest, ValueEndFindsTheEndOfAnyValue) {
  EXPECT_EQ(ValueEnd("{\"a\":1},", 0), 7U);
  EXPECT_EQ(ValueEnd("[1,\"a\\\"b\",2]", 3), 9U);
  EXPECT_EQ(ValueEnd("[12.5e3]", 1), 7U);
  EXPECT_EQ(ValueEnd("true", 0), 4U);
  EXPECT_EQ(ValueEnd("\"\\\\\",", 0), 4U);
}

}  // namespace
}  // namespace kinformer::internal
