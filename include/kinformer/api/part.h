#ifndef KINFORMER_API_PART_H_
#define KINFORMER_API_PART_H_

#include <kinformer/api/field.h>
#include <kinformer/api/type.h>

namespace kinformer::api {

namespace internal {

/// A Part without its type. Its owner passes the type, and must call Reset before it is destroyed.
struct PartData {
  void* Make(const Type& type);  ///< The struct, made if there is none; the state stays.
  void Take(const Type& type, void* from);
  void TakeCopy(const Type& type, const void* from);
  void CopyFrom(const Type& type, const PartData& other);
  void MoveFrom(const Type& type, PartData& other) noexcept;
  void Reset(const Type& type) noexcept;
  bool HasValue(const Type& type) const {
    return value != nullptr && (state == State::kValue || !IsEmpty(type, value));
  }
  static bool Equal(const Type& type, const PartData& a, const PartData& b);

  void* value = nullptr;
  State state = State::kAbsent;
};

}  // namespace internal

/// A member of a struct that is another struct: absent, null or present. Copies are deep.
///
/// Reading is safe without a check: an absent part reads as an empty T. Non-const access makes the part, but one made
/// so is written only if something was put into it. So reading through a non-const object changes nothing that is
/// written; it does write memory, so share objects between threads as const.
template <typename T>
class Part {
 public:
  using value_type = T;

  Part() noexcept = default;
  Part(T&& value) : Part() { data_.Take(T::kType, &value); }           // NOLINT(google-explicit-constructor)
  Part(const T& value) : Part() { data_.TakeCopy(T::kType, &value); }  // NOLINT(google-explicit-constructor)
  /// {}
  Part(EmptyValue /*empty*/) : Part() {  // NOLINT(google-explicit-constructor)
    data_.Make(T::kType);
    data_.state = internal::State::kValue;
  }
  Part(Null /*null*/) { data_.state = internal::State::kNull; }  // NOLINT(google-explicit-constructor)
  Part(const Part& other) : Part() { data_.CopyFrom(T::kType, other.data_); }
  Part(Part&& other) noexcept { data_.MoveFrom(T::kType, other.data_); }
  Part& operator=(const Part& other) {
    if (this != &other) data_.CopyFrom(T::kType, other.data_);
    return *this;
  }
  Part& operator=(Part&& other) noexcept {
    if (this != &other) data_.MoveFrom(T::kType, other.data_);
    return *this;
  }
  ~Part() {
    if (data_.value != nullptr) data_.Reset(T::kType);
  }

  /// True if it is present, even if empty.
  bool has_value() const { return data_.HasValue(T::kType); }
  bool is_null() const { return data_.state == internal::State::kNull && !has_value(); }
  explicit operator bool() const { return has_value(); }

  const T* operator->() const { return static_cast<const T*>(data_.value != nullptr ? data_.value : T::kType.empty()); }
  const T& operator*() const { return *operator->(); }
  T* operator->() { return static_cast<T*>(data_.Make(T::kType)); }
  T& operator*() { return *operator->(); }

  friend bool operator==(const Part& a, const Part& b) { return internal::PartData::Equal(T::kType, a.data_, b.data_); }

 private:
  internal::PartData data_{};
};

}  // namespace kinformer::api

#endif  // KINFORMER_API_PART_H_
