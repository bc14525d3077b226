#ifndef KINFORMER_REFLECTOR_TRANSFORMS_H_
#define KINFORMER_REFLECTOR_TRANSFORMS_H_

#include <string>
#include <vector>

#include <kinformer/reflector/transform.h>

namespace kinformer {

/// Keeps only the named fields, for caches of many objects of which little is read:
///
///     Project({"/metadata/labels", "/spec/nodeName", "/status/phase"})
///
/// Fields are RFC 6901 pointers through members of objects; what a pointer names is kept whole, an array always so.
/// Kept in any case: apiVersion, kind, and metadata's name, namespace, uid and resourceVersion.
///
/// An object that has lost something is partial (Object::IsPartial), so that Update refuses it; one that has nothing
/// else stays the object it was. A pointer that is none makes every object an error.
NamedTransform Project(std::vector<std::string> fields);

}  // namespace kinformer

#endif  // KINFORMER_REFLECTOR_TRANSFORMS_H_
