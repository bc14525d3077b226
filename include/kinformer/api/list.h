#ifndef KINFORMER_API_LIST_H_
#define KINFORMER_API_LIST_H_

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

#include <kinformer/api/field.h>
#include <kinformer/api/type.h>

namespace kinformer::api {

namespace internal {

/// A List without its type. Its owner passes the elements' type, and must call Reset before it is destroyed.
struct ListData {
  void* At(const Type& element, std::size_t index) const {
    return static_cast<char*>(data) + index * static_cast<std::size_t>(element.size);
  }
  void Reserve(const Type& element, std::size_t count);
  void* Append(const Type& element);  ///< A new element; the list is then present.
  void AppendMoved(const Type& element, void* value);
  void AppendCopies(const Type& element, const void* values, std::size_t count);
  void Erase(const Type& element, std::size_t index);
  void CopyFrom(const Type& element, const ListData& other);
  void MoveFrom(const Type& element, ListData& other) noexcept;
  void Clear(const Type& element) noexcept;  ///< Destroys the elements; the state stays.
  void Reset(const Type& element) noexcept;
  static bool Equal(const Type& element, const ListData& a, const ListData& b);
  /// As Equal, in whatever states they are.
  static bool SameContents(const Type& element, const ListData& a, const ListData& b);

  void* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;
  State state = State::kAbsent;
};

template <typename R>
concept Range = requires(R& range) {
  range.begin();
  range.end();
};

}  // namespace internal

/// A member of a struct that is an array of T: absent, null or present. T is one of Field's types, a struct, a List or
/// a Map. Absent by default; kEmpty is []. References and iterators are valid until an element is added or removed.
template <typename T>
class List {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  List() noexcept = default;
  List(EmptyValue /*empty*/) { data_.state = internal::State::kValue; }  // NOLINT(google-explicit-constructor)
  List(Null /*null*/) { data_.state = internal::State::kNull; }          // NOLINT(google-explicit-constructor)
  List(std::initializer_list<internal::Arg<T>> elements) : List() {
    data_.state = internal::State::kValue;
    if constexpr (std::same_as<internal::Arg<T>, T>) {
      data_.AppendCopies(internal::TypeOf<T>(), elements.begin(), elements.size());
    } else {
      data_.Reserve(internal::TypeOf<T>(), elements.size());
      for (const internal::Arg<T>& element : elements) push_back(element);
    }
  }
  /// The elements of any range; [] if it has none.
  template <internal::Range R>
  requires(!std::same_as<std::remove_cvref_t<R>, List> &&
           std::convertible_to<decltype(*std::declval<R&>().begin()), internal::Arg<T>>)
      List(R&& range)  // NOLINT(google-explicit-constructor)
      : List() {
    data_.state = internal::State::kValue;
    for (auto&& element : range) push_back(static_cast<internal::Arg<T>>(element));
  }
  List(const List& other) { data_.CopyFrom(internal::TypeOf<T>(), other.data_); }
  List(List&& other) noexcept { data_.MoveFrom(internal::TypeOf<T>(), other.data_); }
  List& operator=(const List& other) {
    if (this != &other) data_.CopyFrom(internal::TypeOf<T>(), other.data_);
    return *this;
  }
  List& operator=(List&& other) noexcept {
    if (this != &other) data_.MoveFrom(internal::TypeOf<T>(), other.data_);
    return *this;
  }
  ~List() {
    if (data_.data != nullptr) data_.Reset(internal::TypeOf<T>());
  }

  /// True if it is present, even if empty.
  bool has_value() const { return data_.state == internal::State::kValue; }
  bool is_null() const { return data_.state == internal::State::kNull; }

  std::size_t size() const { return data_.size; }
  bool empty() const { return data_.size == 0; }
  const T* begin() const { return static_cast<const T*>(data_.data); }
  const T* end() const { return begin() + data_.size; }
  T* begin() { return static_cast<T*>(data_.data); }
  T* end() { return begin() + data_.size; }
  /// Precondition: index < size().
  const T& operator[](std::size_t index) const {
    assert(index < size());
    return begin()[index];
  }
  T& operator[](std::size_t index) {
    assert(index < size());
    return begin()[index];
  }
  const T& front() const { return (*this)[0]; }
  T& front() { return (*this)[0]; }
  const T& back() const { return (*this)[size() - 1]; }
  T& back() { return (*this)[size() - 1]; }

  void push_back(internal::Arg<T> value) {
    if constexpr (std::same_as<internal::Arg<T>, T>) {
      data_.AppendMoved(internal::TypeOf<T>(), &value);
    } else {
      T stored(value);
      data_.AppendMoved(internal::TypeOf<T>(), &stored);
    }
  }
  /// Appends a T{} and returns it.
  T& emplace_back() { return *static_cast<T*>(data_.Append(internal::TypeOf<T>())); }
  /// Returns the position of the element after the erased one.
  T* erase(const T* position) {
    const auto index = static_cast<std::size_t>(position - begin());
    assert(index < size());
    data_.Erase(internal::TypeOf<T>(), index);
    return begin() + index;
  }
  /// [], also if the list was absent.
  void clear() {
    data_.Clear(internal::TypeOf<T>());
    data_.state = internal::State::kValue;
  }

  friend bool operator==(const List& a, const List& b) {
    return internal::ListData::Equal(internal::TypeOf<T>(), a.data_, b.data_);
  }

 private:
  internal::ListData data_{};
};

}  // namespace kinformer::api

#endif  // KINFORMER_API_LIST_H_
