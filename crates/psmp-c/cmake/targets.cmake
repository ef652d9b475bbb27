# The targets psmp::psmp and psmp::static, from PSMP_LIBRARIES, PSMP_INCLUDES, PSMP_SHARED and PSMP_STATIC.
find_package(Threads REQUIRED)
if(NOT TARGET psmp::psmp)
  add_library(psmp::psmp SHARED IMPORTED GLOBAL)
  set_target_properties(psmp::psmp PROPERTIES
    IMPORTED_LOCATION ${PSMP_LIBRARIES}/${PSMP_SHARED}
    IMPORTED_SONAME ${PSMP_SHARED}
    INTERFACE_INCLUDE_DIRECTORIES ${PSMP_INCLUDES})
  add_library(psmp::static STATIC IMPORTED GLOBAL)
  set_target_properties(psmp::static PROPERTIES
    IMPORTED_LOCATION ${PSMP_LIBRARIES}/${PSMP_STATIC}
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m"
    INTERFACE_INCLUDE_DIRECTORIES ${PSMP_INCLUDES})
endif()
