#ifndef KINFORMER_API_JSON_H_
#define KINFORMER_API_JSON_H_

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <kinformer/api/generated.h>
#include <kinformer/base/result.h>

namespace kinformer::api {

namespace internal {

enum class Unknown { kKept, kReported };

template <typename T>
struct IsContainer : std::false_type {};
template <typename T>
struct IsContainer<List<T>> : std::true_type {};
template <typename T>
struct IsContainer<Map<T>> : std::true_type {};

std::string Write(const Type& type, const void* value);
/// `value`: constructed and empty.
Result<void> Read(const Type& type, void* value, std::string_view json, Unknown unknown);

}  // namespace internal

/// A struct with a table, or a List or Map.
template <typename T>
concept Typed = requires {
  T::kType.size;
}
|| internal::IsContainer<T>::value;

/// JSON without white space. A kind begins with its apiVersion and kind; kinds inside of others carry those that they
/// were read with, in their rest_, and no others. Invalid UTF-8 is replaced by U+FFFD, and a number that JSON cannot
/// express (infinity, NaN) is written as null.
template <Typed T>
std::string ToJson(const T& value) {
  return internal::Write(internal::TypeOf<T>(), &value);
}

/// Reads one JSON value. Fails on invalid JSON (kMalformed), on a value that is no object for a struct, no array for a
/// List, and on an apiVersion or kind other than that of the type, in T and in kinds inside of it (kInvalidArgument);
/// objects without them are accepted. Everything else is kept: what T has no place for is in `rest_`, see Rest.
template <Typed T>
Result<T> Decode(std::string_view json) {
  T value{};
  if (auto read = internal::Read(internal::TypeOf<T>(), &value, json, internal::Unknown::kKept); !read) {
    return std::move(read).error();
  }
  return value;
}

/// Like Decode, but fails if anything did not fit: unknown members, values of another type, times, durations,
/// quantities and base64 that are not valid. The error's `details.causes` has one entry for each, with its RFC 6901
/// pointer as `field`.
template <Typed T>
Result<T> DecodeStrict(std::string_view json) {
  T value{};
  if (auto read = internal::Read(internal::TypeOf<T>(), &value, json, internal::Unknown::kReported); !read) {
    return std::move(read).error();
  }
  return value;
}

template <typename T>
RawJson RawJson::From(const T& value) {
  return RawJson(ToJson(value));
}

template <typename T>
Result<T> RawJson::Decode() const {
  return api::Decode<T>(text());
}

}  // namespace kinformer::api

#endif  // KINFORMER_API_JSON_H_
