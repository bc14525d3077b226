#ifndef KINFORMER_CLIENT_RESOURCE_CLIENT_H_
#define KINFORMER_CLIENT_RESOURCE_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>
#include <kinformer/client/object_arg.h>
#include <kinformer/client/options.h>
#include <kinformer/client/selection.h>
#include <kinformer/client/watch_stream.h>
#include <kinformer/codec/object.h>
#include <kinformer/codec/object_list.h>
#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/list.h>
#include <kinformer/meta/names.h>
#include <kinformer/transport/transport.h>

namespace kinformer {

namespace internal {
class RestClient;
struct ClientAccess;
}  // namespace internal

/// A resource of an API server: a KindInfo that owns its strings.
struct Resource {
  GroupVersionResource gvr{};
  std::string kind{};
  Scope scope = Scope::kNamespaced;

  static Resource Of(const KindInfo& info) { return {info.Gvr(), std::string(info.kind), info.scope}; }
  GroupVersionKind Gvk() const { return {gvr.group, gvr.version, kind}; }

  auto operator<=>(const Resource&) const = default;
};

/// The result of a delete.
struct DeleteResult {
  /// The object, if it still exists and waits for its finalizers or grace period; else null.
  ObjectPtr pending{};
};

/// The operations on one resource, for objects of any kind. Cheap to copy.
///
///     KI_TRY_ASSIGN(const ki::ResourceClient pods, client.DynamicFor({"", "v1", "Pod"}));
///     KI_TRY_ASSIGN(const ki::ObjectPtr pod, pods.Get({"default", "web-0"}));
///
/// Every call blocks and returns kCancelled as soon as `stop` is triggered. A request that the server rejects is an
/// Error with its HTTP status and reason (see meta/status_error.h: IsNotFound, IsConflict, ...).
///
/// @par Thread Safety
/// All functions may be called from any thread.
class ResourceClient {
 public:
  // Copyable but not movable, so that it always has a client.
  ResourceClient(const ResourceClient&) = default;
  ResourceClient& operator=(const ResourceClient&) = default;

  const Resource& resource() const& { return resource_; }
  Resource resource() const&& { return resource_; }

  /// The same resource, but requests only metadata. Its objects are partial (Object::IsPartial).
  ResourceClient MetadataOnly() const;

  Result<ObjectPtr> Get(const NamespacedName& name, const GetOptions& options = {},
                        const std::stop_token& stop = {}) const;

  /// Reads all pages. If the list's version expires in between (410), reads the whole list again in one page.
  Result<ObjectList> List(const Selection& selection = {}, const ListOptions& options = {},
                          const std::stop_token& stop = {}) const;
  /// One page of at most `options.limit` objects.
  Result<ObjectList> ListPage(const Selection& selection = {}, const ListOptions& options = {},
                              const std::stop_token& stop = {}) const;
  /// Reads all pages without holding them: `each` runs on the calling thread while the rest is still arriving. Returns
  /// the metadata of the last page. Unlike List, it fails if the list's version expires in between (410).
  Result<ListMeta> ForEach(const std::function<void(const ObjectPtr&)>& each, const Selection& selection = {},
                           const ListOptions& options = {}, const std::stop_token& stop = {}) const;

  Result<ObjectPtr> Create(const ObjectArg& object, const WriteOptions& options = {},
                           const std::stop_token& stop = {}) const;
  /// Replaces the object. kFailedPrecondition if it is partial (Object::IsPartial): the update would delete the missing
  /// fields. Use Patch or Apply instead.
  Result<ObjectPtr> Update(const ObjectArg& object, const WriteOptions& options = {},
                           const std::stop_token& stop = {}) const;
  Result<ObjectPtr> UpdateStatus(const ObjectArg& object, const WriteOptions& options = {},
                                 const std::stop_token& stop = {}) const;
  Result<ObjectPtr> Patch(const NamespacedName& name, PatchType type, std::string_view patch,
                          const WriteOptions& options = {}, const std::stop_token& stop = {}) const;
  /// Server-side apply: takes ownership of the fields in `object`, and removes fields that this manager applied before
  /// but `object` no longer contains.
  Result<ObjectPtr> Apply(const ObjectArg& object, const ApplyOptions& options, const std::stop_token& stop = {}) const;
  /// Sets the number of replicas through the scale subresource. Returns the Scale object.
  Result<ObjectPtr> ScaleTo(const NamespacedName& name, std::int64_t replicas, const WriteOptions& options = {},
                            const std::stop_token& stop = {}) const;

  Result<DeleteResult> Delete(const NamespacedName& name, const DeleteOptions& options = {},
                              const std::stop_token& stop = {}) const;
  /// Deletes the selected objects. It returns none, so `keep_managed_fields` has no effect.
  Result<void> DeleteCollection(const Selection& selection, const DeleteOptions& options = {},
                                const std::stop_token& stop = {}) const;

  /// Opens a watch. `stop` applies to the opening only; WatchStream::Next takes its own.
  Result<WatchStream> Watch(const Selection& selection = {}, const WatchOptions& options = {},
                            const std::stop_token& stop = {}) const;

 private:
  friend class Client;
  friend struct internal::ClientAccess;
  ResourceClient(std::shared_ptr<internal::RestClient> rest, Resource resource, std::string default_namespace);

  ObjectOptions DecodeOptions(bool keep_managed_fields, bool of_subresource) const;
  Result<ObjectPtr> Read(const ObjectArg& object, const std::string& subresource) const;
  std::string NamespaceOf(const Object& object, const std::string& otherwise) const;
  Result<void> CheckKind(const Object& object, const std::string& subresource) const;
  Result<ObjectPtr> Decode(std::string_view body, const ObjectOptions& options) const;
  Result<ObjectPtr> Write(Request request, const ObjectOptions& decode, const std::stop_token& stop) const;
  Result<ObjectPtr> Put(const ObjectArg& object, const WriteOptions& options, const std::stop_token& stop) const;
  Result<ListMeta> ReadPage(const std::function<void(ObjectPtr)>& each, const Selection& selection,
                            const ListOptions& options, const std::stop_token& stop) const;

  std::shared_ptr<internal::RestClient> rest_;
  Resource resource_;
  std::string default_namespace_;
  bool metadata_only_ = false;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_RESOURCE_CLIENT_H_
