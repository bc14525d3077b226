#ifndef KINFORMER_REFLECTOR_TRANSFORMS_H_
#define KINFORMER_REFLECTOR_TRANSFORMS_H_

#include <string>
#include <vector>

#include <kinformer/reflector/transform.h>

namespace kinformer {

/// Keeps only the given fields, to save memory in large caches:
///
///     auto pods = factory.For<Pod>({}, {.transform = ki::Project({"/metadata/labels", "/spec/nodeName"})});
///
/// Fields are RFC 6901 pointers through members of objects. The field that a pointer names is kept whole; arrays are
/// always kept whole. apiVersion, kind, and metadata's name, namespace, uid and resourceVersion are always kept.
///
/// An object from which fields were removed is partial (Object::IsPartial), so that Update rejects it; an object
/// without other fields is returned unchanged. An invalid pointer makes every object an error.
NamedTransform Project(std::vector<std::string> fields);

}  // namespace kinformer

#endif  // KINFORMER_REFLECTOR_TRANSFORMS_H_
