#include "src/apiserver/registry/version_order.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>

namespace kinformer::apiserver {
namespace {

enum class Stability { kAlpha, kBeta, kStable };
/// The greater one is preferred.
using Rank = std::tuple<Stability, std::uint32_t, std::uint32_t>;

std::optional<std::uint32_t> TakeNumber(std::string_view& text) {
  std::uint32_t number = 0;
  if (text.empty() || text.front() == '0') return std::nullopt;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Parses "v1", "v1beta2", "v2alpha1"; nullopt for anything else.
std::optional<Rank> RankOf(std::string_view version) {
  if (!version.starts_with("v")) return std::nullopt;
  version.remove_prefix(1);
  const auto major = TakeNumber(version);
  if (!major) return std::nullopt;
  if (version.empty()) return Rank{Stability::kStable, *major, 0};
  const bool beta = version.starts_with("beta");
  if (!beta && !version.starts_with("alpha")) return std::nullopt;
  version.remove_prefix(beta ? 4 : 5);
  const auto minor = TakeNumber(version);
  if (!minor || !version.empty()) return std::nullopt;
  return Rank{beta ? Stability::kBeta : Stability::kAlpha, *major, *minor};
}

}  // namespace

bool IsPreferredVersion(std::string_view a, std::string_view b) {
  const std::optional<Rank> rank_a = RankOf(a);
  const std::optional<Rank> rank_b = RankOf(b);
  if (rank_a && rank_b) return *rank_a > *rank_b;
  if (rank_a || rank_b) return rank_a.has_value();
  return a < b;
}

}  // namespace kinformer::apiserver
