#ifndef KINFORMER_API_REST_H_
#define KINFORMER_API_REST_H_

#include <string>
#include <string_view>

#include <kinformer/api/raw_json.h>

namespace kinformer::api {

namespace internal {
struct RestAccess;
}  // namespace internal

/// The members of a JSON object that its struct has no place for: unknown names, and values of another type than the
/// struct's. They are written back as they came, except where the struct's own member is set: that one wins.
class Rest {
 public:
  Rest() noexcept = default;
  Rest(const Rest& other);
  Rest(Rest&& other) noexcept : text_(other.text_) { other.text_ = nullptr; }
  Rest& operator=(const Rest& other);
  Rest& operator=(Rest&& other) noexcept;
  ~Rest() {
    if (text_ != nullptr) Clear();
  }

  bool empty() const { return text_ == nullptr; }
  bool Contains(std::string_view name) const { return !Find(name).empty(); }
  /// The value's JSON text, valid until the next change; empty if there is none of this name.
  std::string_view Find(std::string_view name) const;
  void Set(std::string_view name, const RawJson& value);
  void Erase(std::string_view name);
  void Clear() noexcept;
  /// All of them as one JSON object.
  std::string ToJson() const;

  /// The same members with the same text, in any order.
  friend bool operator==(const Rest& a, const Rest& b) { return Equal(a, b); }

 private:
  friend struct internal::RestAccess;
  static bool Equal(const Rest& a, const Rest& b);

  /// "name":value,"name":value without white space; null if there are none.
  std::string* text_ = nullptr;
};

}  // namespace kinformer::api

#endif  // KINFORMER_API_REST_H_
