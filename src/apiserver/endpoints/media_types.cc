#include "src/apiserver/endpoints/media_types.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/text.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kYamlType = "application/yaml";

/// Calls `each` with the trimmed, non-empty parts.
template <typename Each>
void Split(std::string_view text, char separator, Each each) {
  for (;;) {
    const std::size_t end = text.find(separator);
    if (const std::string_view part = internal::Trim(text.substr(0, end), internal::kHeaderSpace); !part.empty())
      each(part);
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

struct MediaRange {
  std::string type{};
  std::vector<std::pair<std::string_view, std::string_view>> parameters{};
  double quality = 1;

  std::string_view Parameter(std::string_view name) const {
    for (const auto& [key, value] : parameters) {
      if (internal::EqualsIgnoringCase(key, name)) return value;
    }
    return {};
  }
};

MediaRange ParseRange(std::string_view text) {
  MediaRange range;
  Split(text, ';', [&](std::string_view part) {
    if (range.type.empty()) {
      range.type = part;
      range.type = internal::Lower(std::move(range.type));
      return;
    }
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view name = internal::Trim(part.substr(0, equals), internal::kHeaderSpace);
    const std::string_view value = internal::Trim(part.substr(equals + 1), internal::kHeaderSpace);
    if (internal::EqualsIgnoringCase(name, "q")) {
      range.quality = std::strtod(std::string(value).c_str(), nullptr);
    } else {
      range.parameters.emplace_back(name, value);
    }
  });
  return range;
}

/// The supported form for the range; nullopt: none.
std::optional<AcceptedForm> FormFor(const MediaRange& range) {
  if (range.type != "application/json" && range.type != "application/*" && range.type != "*/*") return std::nullopt;
  const std::string_view as = range.Parameter("as");
  if (as.empty()) return AcceptedForm::kWhole;
  if (range.Parameter("g") != "meta.k8s.io" || range.Parameter("v") != "v1") return std::nullopt;
  if (as == "PartialObjectMetadata") return AcceptedForm::kMetadata;
  if (as == "PartialObjectMetadataList") return AcceptedForm::kMetadataList;
  if (as == "Table") return AcceptedForm::kTable;
  return std::nullopt;
}

/// The Accept header's ranges, most preferred first.
std::vector<MediaRange> Accepted(const HttpRequest& request) {
  std::vector<MediaRange> ranges;
  for (const HttpHeader& header : request.headers) {
    if (!internal::EqualsIgnoringCase(header.name, "Accept")) continue;
    Split(header.value, ',', [&](std::string_view part) { ranges.push_back(ParseRange(part)); });
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const MediaRange& a, const MediaRange& b) { return a.quality > b.quality; });
  return ranges;
}

Error NotAcceptable() {
  return {.code = ErrorCode::kServer,
          .message = "only the following media types are accepted: application/json",
          .http_status = 406,
          .reason = "NotAcceptable"};
}

Error UnsupportedMediaType(std::string_view accepted) {
  return {.code = ErrorCode::kServer,
          .message = "the body of the request was in an unknown format - accepted media types include: " +
                     std::string(accepted),
          .http_status = 415,
          .reason = "UnsupportedMediaType"};
}

std::string ContentType(const HttpRequest& request) {
  const std::string* header = request.FindHeader("Content-Type");
  return header == nullptr ? std::string() : ParseRange(*header).type;
}

}  // namespace

Result<AcceptedForm> NegotiateForm(const HttpRequest& request) {
  const std::vector<MediaRange> ranges = Accepted(request);
  if (ranges.empty()) return AcceptedForm::kWhole;
  for (const MediaRange& range : ranges) {
    if (range.quality <= 0) break;
    if (const auto form = FormFor(range)) return *form;
  }
  return NotAcceptable();
}

bool PrefersAggregatedDiscovery(const HttpRequest& request) {
  for (const MediaRange& range : Accepted(request)) {
    if (range.quality <= 0) break;
    if (range.type != "application/json" && range.type != "application/*" && range.type != "*/*") continue;
    const std::string_view as = range.Parameter("as");
    if (as.empty()) return false;
    const bool second = range.Parameter("g") == "apidiscovery.k8s.io" && range.Parameter("v") == "v2";
    if (as == "APIGroupDiscoveryList" && second) return true;
  }
  return false;
}

Result<BodyType> ReadBodyType(const HttpRequest& request) {
  const std::string type = ContentType(request);
  if (type.empty() || type == "application/json" || request.body.empty()) return BodyType::kJson;
  if (type == kProtobufType) return BodyType::kProtobuf;
  if (type == kYamlType) return BodyType::kYaml;
  return UnsupportedMediaType("application/json, " + std::string(kYamlType) + ", " + std::string(kProtobufType));
}

Result<PatchKind> ReadPatchKind(const HttpRequest& request, const ServedKind& kind) {
  const std::string type = ContentType(request);
  const bool strategic = kind.schema == nullptr && kind.FindSchema() != nullptr;
  if (type == "application/json-patch+json") return PatchKind::kJson;
  if (type == "application/merge-patch+json") return PatchKind::kMerge;
  if (type == "application/strategic-merge-patch+json" && strategic) return PatchKind::kStrategic;
  if (type == "application/apply-patch+yaml") return PatchKind::kApply;
  if (kind.schema == nullptr) {
    Error error = UnsupportedMediaType("");
    error.message = "415: Unsupported Media Type";
    return error;
  }
  return UnsupportedMediaType(
      "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
}

}  // namespace kinformer::apiserver
