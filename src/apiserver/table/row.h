#ifndef KINFORMER_SRC_APISERVER_TABLE_ROW_H_
#define KINFORMER_SRC_APISERVER_TABLE_ROW_H_

#include <any>
#include <string_view>

#include <kinformer/codec/object.h>
#include <kinformer/meta/time.h>

namespace kinformer::apiserver {

/// The input for the cells of one row.
class Row {
 public:
  Row(const Object& object, Timestamp now) : object_(object), now_(now) {}
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  const Object& object() const { return object_; }
  Timestamp now() const { return now_; }

  /// A `T(object)` shared by several cells, constructed on first use.
  template <typename T>
  const T& Summary() {
    if (const T* made = std::any_cast<T>(&summary_)) return *made;
    return summary_.emplace<T>(object_);
  }

  /// `conditions`: a JSON array with static lifetime; empty: none.
  void SetConditions(std::string_view conditions) { conditions_ = conditions; }
  std::string_view conditions() const { return conditions_; }

 private:
  const Object& object_;
  const Timestamp now_;
  std::any summary_;
  std::string_view conditions_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_ROW_H_
