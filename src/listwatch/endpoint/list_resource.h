#ifndef KINFORMER_SRC_LISTWATCH_ENDPOINT_LIST_RESOURCE_H_
#define KINFORMER_SRC_LISTWATCH_ENDPOINT_LIST_RESOURCE_H_

// In:     a decoded request for a collection, or for one object by its name
// Out:    a list, or an accepted watch
// Thread: the caller's; blocks as ObjectStorage does
// Next:   ObjectStorage; a watch is then streamed by the WatchServer

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include <kinformer/base/clock.h>
#include <kinformer/base/result.h>

#include "src/listwatch/endpoint/list_parameters.h"
#include "src/listwatch/storage/object_storage.h"

namespace kinformer::apiserver {

struct CollectionRequest {
  /// From the path; empty: all namespaces, or a resource without namespaces.
  std::string namespace_name{};
  /// From the path; empty: the collection.
  std::string name{};
  /// A path that is always a watch (/api/v1/watch/...). As in kube-apiserver, its parameters are still validated as
  /// those of a list, unless they include watch=true.
  bool force_watch = false;
  ListParameters parameters{};
};

/// Fails (400) if a field selector cannot name the field. Not called for metadata.name and metadata.namespace.
using FieldCheck = std::function<Result<void>(const std::string& field)>;

/// The request as the storage takes it: parameters validated (422), fields checked, the name as a field selector (400
/// if it contradicts one).
Result<ListQuery> ToListQuery(CollectionRequest request, const FieldCheck& check_field);
/// The same for a watch, which ends at `deadline`.
Result<WatchQuery> ToWatchQuery(CollectionRequest request, const FieldCheck& check_field, TimePoint deadline);

/// One list or watch request from its parameters to its result, like kube-apiserver's handlers.ListResource.
///
/// Knows no format, user or kind: the caller decodes the query, says which fields are selectable, and writes the list
/// or hands the watch to a WatchServer.
///
/// @par Thread Safety
/// Used by one thread at a time.
class ListResource {
 public:
  using Answer = std::variant<ObjectList, std::unique_ptr<WatchEventStream>>;

  /// Decides between list and watch, validates the parameters, and chooses when a watch ends. `jitter` in [0, 1):
  /// varies the default timeout between 30 and 60 minutes.
  static Result<ListResource> Accept(CollectionRequest request, const FieldCheck& check_field, TimePoint now,
                                     double jitter);

  bool IsWatch() const { return std::holds_alternative<WatchQuery>(query_); }

  /// If it fails with `suspension->wait` set, call it again after that wait; a watch keeps its deadline meanwhile.
  /// Null: it blocks instead.
  Result<Answer> Read(ObjectStorage& storage, Suspension* suspension, const std::stop_token& stop) const;

 private:
  explicit ListResource(std::variant<ListQuery, WatchQuery> query) : query_(std::move(query)) {}

  std::variant<ListQuery, WatchQuery> query_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_ENDPOINT_LIST_RESOURCE_H_
