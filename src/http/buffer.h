#ifndef KINFORMER_SRC_HTTP_BUFFER_H_
#define KINFORMER_SRC_HTTP_BUFFER_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kinformer::apiserver {

/// Shared, immutable bytes. Copies share them, so the same bytes can be queued on many connections.
struct Buffer {
  /// Keeps `bytes` alive. Null for static storage.
  std::shared_ptr<const void> owner{};
  std::string_view bytes{};

  Buffer() = default;
  Buffer(std::shared_ptr<const void> keeps, std::string_view view) : owner(std::move(keeps)), bytes(view) {}
  explicit Buffer(const std::shared_ptr<const std::string>& text) : owner(text), bytes(*text) {}
  explicit Buffer(std::string text) : Buffer(std::make_shared<const std::string>(std::move(text))) {}

  /// For literals.
  static Buffer Static(std::string_view text) { return Buffer(nullptr, text); }
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_BUFFER_H_
