#ifndef KINFORMER_SRC_APISERVER_ACCESS_URL_QUERY_H_
#define KINFORMER_SRC_APISERVER_ACCESS_URL_QUERY_H_

// In:     the part of a URL after the '?'
// Out:    names and values
// Thread: any; pure
// Next:   RequestInfo, the endpoints' options

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// nullopt if a '%' is not followed by two hexadecimal digits.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_blank);

class UrlQuery {
 public:
  /// 400 if it cannot be decoded.
  static Result<UrlQuery> Parse(std::string_view text);

  /// The first value of that name; null if there is none.
  const std::string* Find(std::string_view name) const;
  std::vector<std::string> All(std::string_view name) const;
  /// Kubernetes' semantics: absent, "false" and "0" are false; anything else is true.
  bool Flag(std::string_view name) const;
  /// Replaces all values of that name.
  void Set(std::string_view name, std::string value);
  void Erase(std::string_view name);

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_URL_QUERY_H_
