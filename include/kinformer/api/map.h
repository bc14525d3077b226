#ifndef KINFORMER_API_MAP_H_
#define KINFORMER_API_MAP_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <kinformer/api/field.h>
#include <kinformer/api/type.h>

namespace kinformer::api {

namespace internal {

/// An entry of a map, for iteration.
template <typename T>
struct MapEntry {
  std::string first;
  T second;
};

/// A Map without its type, an array sorted by key. Its owner passes the values' type, and must call Reset before it
/// is destroyed. Many entries are appended in any order and sorted once.
struct MapData {
  static std::size_t Stride(const Type& value);
  std::string& Key(const Type& value, std::size_t index) const;
  void* Value(const Type& value, std::size_t index) const;

  /// The index of the first key that is not less.
  std::size_t LowerBound(const Type& value, std::string_view key) const;
  const void* Find(const Type& value, std::string_view key) const;
  /// A fresh value for the key, in place of the one it had; the map is then present.
  void* Renew(const Type& value, std::string_view key);
  void SetMoved(const Type& value, std::string_view key, void* from);
  /// A new entry at the end, even if the key is there already; the map is then present. Sort must follow.
  void* Append(const Type& value, std::string_view key);
  void AppendMoved(const Type& value, std::string_view key, void* from);
  /// Sorts by key; the last of equal keys stays.
  void Sort(const Type& value);
  bool Erase(const Type& value, std::string_view key);
  void CopyFrom(const Type& value, const MapData& other);
  void MoveFrom(const Type& value, MapData& other) noexcept;
  void Clear(const Type& value) noexcept;  ///< Destroys the entries; the state stays.
  void Reset(const Type& value) noexcept;
  static bool Equal(const Type& value, const MapData& a, const MapData& b);
  /// As Equal, in whatever states they are.
  static bool SameContents(const Type& value, const MapData& a, const MapData& b);
  void Grow(const Type& value);
  /// Moves the other's entry to the end. Precondition: there is room.
  void TakeEntry(const Type& value, const MapData& other, std::size_t index) noexcept;

  void* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;
  State state = State::kAbsent;
};

/// An entry in an initializer list.
template <typename T>
struct EntryArg {
  TextArg key;
  Arg<T> value;
};

template <typename R, typename T>
concept MapLike = requires(R& range) {
  { (*range.begin()).first } -> std::convertible_to<TextArg>;
  { (*range.begin()).second } -> std::convertible_to<Arg<T>>;
  range.end();
};

}  // namespace internal

/// A member of a struct that is an object with any names, all of type T: absent, null or present. T is one of Field's
/// types, a struct, a List or a Map. Absent by default; kEmpty is {}. Sorted by key. References and iterators are valid
/// until an entry is added or removed.
template <typename T>
class Map {
 public:
  using value_type = internal::MapEntry<T>;
  using const_iterator = const value_type*;

  Map() noexcept = default;
  Map(EmptyValue /*empty*/) { data_.state = internal::State::kValue; }  // NOLINT(google-explicit-constructor)
  Map(Null /*null*/) { data_.state = internal::State::kNull; }          // NOLINT(google-explicit-constructor)
  /// The last of equal keys wins.
  Map(std::initializer_list<internal::EntryArg<T>> entries) : Map() {
    data_.state = internal::State::kValue;
    for (const internal::EntryArg<T>& entry : entries) Append(entry.key, entry.value);
    data_.Sort(internal::TypeOf<T>());
  }
  /// The pairs of any map or range; {} if it has none. The last of equal keys wins.
  template <typename R>
  requires(!std::same_as<std::remove_cvref_t<R>, Map> && internal::MapLike<R, T>)
      Map(R&& range)  // NOLINT(google-explicit-constructor)
      : Map() {
    data_.state = internal::State::kValue;
    for (auto&& entry : range) Append(entry.first, static_cast<internal::Arg<T>>(entry.second));
    data_.Sort(internal::TypeOf<T>());
  }
  Map(const Map& other) { data_.CopyFrom(internal::TypeOf<T>(), other.data_); }
  Map(Map&& other) noexcept { data_.MoveFrom(internal::TypeOf<T>(), other.data_); }
  Map& operator=(const Map& other) {
    if (this != &other) data_.CopyFrom(internal::TypeOf<T>(), other.data_);
    return *this;
  }
  Map& operator=(Map&& other) noexcept {
    if (this != &other) data_.MoveFrom(internal::TypeOf<T>(), other.data_);
    return *this;
  }
  ~Map() {
    if (data_.data != nullptr) data_.Reset(internal::TypeOf<T>());
  }

  /// True if it is present, even if empty.
  bool has_value() const { return data_.state == internal::State::kValue; }
  bool is_null() const { return data_.state == internal::State::kNull; }

  std::size_t size() const { return data_.size; }
  bool empty() const { return data_.size == 0; }
  /// Entries are read-only, since they are sorted by key; Find gives access to a value.
  const value_type* begin() const { return static_cast<const value_type*>(data_.data); }
  const value_type* end() const { return begin() + data_.size; }

  /// nullptr if there is none.
  const T* Find(internal::TextArg key) const { return static_cast<const T*>(data_.Find(internal::TypeOf<T>(), key)); }
  T* Find(internal::TextArg key) { return const_cast<T*>(std::as_const(*this).Find(key)); }
  bool contains(internal::TextArg key) const { return Find(key) != nullptr; }
  /// T{} if there is none. For reading only, so that it never adds an entry; Set adds one.
  const T& operator[](internal::TextArg key) const {
    const T* const found = Find(key);
    return found != nullptr ? *found : *static_cast<const T*>(internal::TypeOf<T>().empty());
  }
  void Set(internal::TextArg key, internal::Arg<T> value) {
    if constexpr (std::same_as<internal::Arg<T>, T>) {
      data_.SetMoved(internal::TypeOf<T>(), key, &value);
    } else {
      T stored(value);
      data_.SetMoved(internal::TypeOf<T>(), key, &stored);
    }
  }
  /// True if there was one.
  bool erase(internal::TextArg key) { return data_.Erase(internal::TypeOf<T>(), key); }
  /// {}, also if the map was absent.
  void clear() {
    data_.Clear(internal::TypeOf<T>());
    data_.state = internal::State::kValue;
  }

  friend bool operator==(const Map& a, const Map& b) {
    return internal::MapData::Equal(internal::TypeOf<T>(), a.data_, b.data_);
  }

 private:
  void Append(internal::TextArg key, internal::Arg<T> value) {
    if constexpr (std::same_as<internal::Arg<T>, T>) {
      data_.AppendMoved(internal::TypeOf<T>(), key, &value);
    } else {
      T stored(value);
      data_.AppendMoved(internal::TypeOf<T>(), key, &stored);
    }
  }

  internal::MapData data_{};
};

}  // namespace kinformer::api

#endif  // KINFORMER_API_MAP_H_
