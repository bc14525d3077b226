#include "src/apiserver/registry/names.h"

#include <array>
#include <cstdint>
#include <random>

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kMaxBase = 58;
constexpr int kSuffix = 5;

std::mt19937_64& Random() {
  thread_local std::mt19937_64 random = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  return random;
}

}  // namespace

std::string NewUid() {
  std::uint64_t high = Random()();
  std::uint64_t low = Random()();
  high = (high & ~std::uint64_t{0xf000}) | 0x4000;
  low = (low & ~(std::uint64_t{3} << 62)) | (std::uint64_t{2} << 62);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string uid;
  uid.reserve(36);
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) uid += '-';
    const std::uint64_t half = i < 16 ? high : low;
    uid += digits[(half >> (60 - 4 * (i % 16))) & 0xf];
  }
  return uid;
}

std::string GeneratedName(std::string_view base) {
  std::string name(base.substr(0, kMaxBase));
  std::uniform_int_distribution<std::size_t> pick(0, kLetters.size() - 1);
  for (int i = 0; i < kSuffix; ++i) name += kLetters[pick(Random())];
  return name;
}

}  // namespace kinformer::apiserver
