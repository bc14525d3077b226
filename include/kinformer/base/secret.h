#ifndef KINFORMER_BASE_SECRET_H_
#define KINFORMER_BASE_SECRET_H_

#include <string>
#include <utility>

namespace kinformer {

/// Sensitive text: it has no operator<<, and reading it requires an explicit Reveal().
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  const std::string& Reveal() const& noexcept { return value_; }
  const std::string& Reveal() const&& = delete;
  bool empty() const noexcept { return value_.empty(); }

  bool operator==(const Secret&) const = default;

 private:
  std::string value_;
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_SECRET_H_
