#include "src/listwatch/storage/etcd_page_sizes.h"

#include <algorithm>
#include <functional>

namespace kinformer::apiserver {
namespace {

/// With objects of etcd's default maximum size (1.5 MiB), 32 MiB in base64.
constexpr std::int64_t kFirstPage = 16;
/// kube-apiserver's maximum.
constexpr std::int64_t kMaxPage = 10'000;
/// Small objects say little about those that follow: a page grows to at most this many times the last one.
constexpr std::int64_t kGrowth = 4;

}  // namespace

EtcdPageSizes::EtcdPageSizes(std::size_t target_bytes) : target_bytes_(static_cast<std::int64_t>(target_bytes)) {
  for (auto& keys : keys_) keys = kFirstPage;
}

const std::atomic<std::int64_t>& EtcdPageSizes::Slot(std::string_view prefix) const {
  return keys_.at(std::hash<std::string_view>()(prefix) % keys_.size());
}

std::atomic<std::int64_t>& EtcdPageSizes::Slot(std::string_view prefix) {
  return keys_.at(std::hash<std::string_view>()(prefix) % keys_.size());
}

std::int64_t EtcdPageSizes::For(std::string_view prefix, std::int64_t limit) const {
  const std::int64_t keys = Slot(prefix);
  return limit > 0 ? std::min(keys, limit) : keys;
}

void EtcdPageSizes::Saw(std::string_view prefix, std::size_t keys, std::size_t bytes) {
  if (keys == 0 || bytes == 0) return;
  const auto seen = static_cast<std::int64_t>(keys);
  const std::int64_t each = std::max<std::int64_t>(static_cast<std::int64_t>(bytes) / seen, 1);
  const std::int64_t fitting = std::clamp<std::int64_t>(target_bytes_ / each, 1, kMaxPage);
  auto& slot = Slot(prefix);
  const std::int64_t now = slot;
  slot = std::min(fitting, std::max(now, kGrowth * seen));
}

void EtcdPageSizes::TooLarge(std::string_view prefix, std::int64_t asked) {
  Slot(prefix) = std::max<std::int64_t>(asked / 2, 1);
}

}  // namespace kinformer::apiserver
