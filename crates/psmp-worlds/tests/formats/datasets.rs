use crate::sample::Sample;
use psmp::{CollisionTable, Direction, Edge, EdgeId, Roadmap, VertexId, WorldId};
use psmp_files::FileError;
use psmp_worlds::{Dataset, DatasetParts, Pairing, ReadOptions};
use std::fs;
use std::path::Path;

/// A folder with the complete sample, changed by hand.
fn changed(change: impl FnOnce(&Path)) -> Result<Dataset, FileError> {
    let folder = tempfile::tempdir().unwrap();
    Sample::complete(Direction::Undirected)
        .write(folder.path())
        .unwrap();
    change(folder.path());
    // What is read later is gone with the folder, so it is read now.
    Dataset::open(folder.path()).and_then(|dataset| {
        dataset.query()?;
        dataset.path_library()?;
        dataset.world_library_assignment()?;
        Ok(dataset)
    })
}

fn remove(folder: &Path, files: &[&str]) {
    for file in files {
        fs::remove_file(folder.join(file)).unwrap();
    }
}

#[test]
fn what_is_missing_is_missed_when_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Sample::complete(Direction::Directed);
    Dataset::write(folder.path(), &DatasetParts::new(&sample.roadmap)).unwrap();
    let dataset = Dataset::open(folder.path()).unwrap();
    assert!(dataset.train().is_none() && dataset.test().is_none());
    assert_eq!(dataset.image_count().unwrap(), 0);
    for (error, file) in [
        (dataset.table().unwrap_err(), "coll_check_results.dat"),
        (dataset.query().unwrap_err(), "start_idx.dat"),
        (dataset.path_library().unwrap_err(), "path_library.dat"),
        (
            dataset.world_library_assignment().unwrap_err(),
            "world_library_assignment.dat",
        ),
        (Dataset::open("nowhere").unwrap_err(), "graph.txt"),
    ] {
        assert!(error.path().ends_with(file), "{error}");
        assert!(error.to_string().contains("is not there"), "{error}");
        assert!(error.remedy().is_some());
    }
}

#[test]
fn half_a_query_in_text_gives_way_to_the_whole_one() {
    changed(|f| remove(f, &["goal_idx.dat"])).unwrap();
    changed(|f| remove(f, &["start_idx.dat"])).unwrap();
    changed(|f| remove(f, &["start_goal.mat"])).unwrap();
    let error = changed(|f| remove(f, &["goal_idx.dat", "start_goal.mat"])).unwrap_err();
    assert!(error.path().ends_with("goal_idx.dat"), "{error}");
}

#[test]
fn line_ends_spaces_and_blank_lines_do_not_matter() {
    let untouched = changed(|_| ()).unwrap();
    let loose = changed(|folder| {
        for file in [
            "graph.txt",
            "coord_set.dat",
            "coll_check_results.dat",
            "train_id.dat",
        ] {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            let text = text.replace('\n', " \r\n").replace(',', " , ");
            fs::write(folder.join(file), text + "\r\n\r\n").unwrap();
        }
    })
    .unwrap();
    assert!(loose.roadmap.edges().eq(untouched.roadmap.edges()));
    assert_eq!(loose.table().unwrap(), untouched.table().unwrap());
    assert_eq!(loose.train(), untouched.train());
}

#[test]
fn faults_name_the_file() {
    for (file, content) in [
        ("graph.txt", ""),
        ("graph.txt", "NumVertices: 4\nNumEdges: 1\n1 1 2"),
        ("coord_set.dat", ""),
        ("coord_set.dat", "0 0\n1 1\n"),
        ("coord_set.dat", "0 0\n1 1\n1 0\n0 inf\n"),
        ("coord_set.dat", "-1e308 0\n1e308 1\n1 0\n0 0\n"),
        ("coll_check_results.dat", ""),
        ("coll_check_results.dat", "1,0,1\n"),
        ("coll_check_results.dat", "1,1,1,1,1,1,1,1,1,2\n"),
        ("start_idx.dat", ""),
        ("start_idx.dat", "0"),
        ("start_idx.dat", "1 2"),
        ("goal_idx.dat", "5"),
        ("train_id.dat", "7"),
        ("test_id.dat", "1.5"),
        ("path_library.dat", "1 2 9"),
        ("world_library_assignment.dat", "1\n"),
    ] {
        let error = changed(|f| fs::write(f.join(file), content).unwrap()).unwrap_err();
        assert!(error.path().ends_with(file), "{error}");
    }
    let transposed = "1\n".repeat(10);
    let error = changed(|f| fs::write(f.join("coll_check_results.dat"), transposed).unwrap());
    assert!(error.unwrap_err().remedy().unwrap().contains("transposed"));
}

#[test]
fn numbered_coordinates_are_recognised() {
    for (text, dimension) in [
        ("1 0 0 5\n2 1 0 5\n3 0 1 5\n4,7,7,5\n", 3),
        ("1 0 0 5\n2 1 0 5\n4 0 1 5\n3 7 7 5\n", 4),
        ("1\n2\n3\n4\n", 1),
    ] {
        let dataset = changed(|folder| {
            remove(folder, &["coord_set.dat", "coord_set.mat"]);
            fs::write(folder.join("vertex_coordinates.txt"), text).unwrap();
        })
        .unwrap();
        assert_eq!(dataset.roadmap.space().unwrap().dimension(), dimension);
    }
}

/// The two directions of an edge disagree in one world.
#[test]
fn rows_of_opposite_direction_are_one_edge_only_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let graph = "NumVertices: 2\nNumEdges: 2\n1 1 2 0.5\n2 2 1 0.5\n";
    fs::write(folder.path().join("graph.txt"), graph).unwrap();
    let table = folder.path().join("coll_check_results.dat");
    fs::write(&table, "1,1\n1,0\n").unwrap();
    let open = |pairing| {
        let options = ReadOptions {
            pairing,
            ..ReadOptions::default()
        };
        Dataset::open_with(folder.path(), options).unwrap()
    };
    let equal = open(Pairing::Equal);
    assert_eq!(equal.roadmap.direction(), Direction::Directed);
    assert_eq!(equal.edge_of_row(), [EdgeId(0), EdgeId(1)]);
    let any = open(Pairing::Any);
    assert_eq!(any.roadmap.direction(), Direction::Undirected);
    assert_eq!(any.edge_of_row(), [EdgeId(0), EdgeId(0)]);
    let both_free = CollisionTable::from_rows(1, &[[true], [false]]).unwrap();
    assert_eq!(**any.table().unwrap(), both_free);
}

#[test]
fn what_would_not_read_back_is_not_written() {
    let sample = Sample::complete(Direction::Directed);
    let pair = vec![Edge::new(0, 1, 1.0), Edge::new(1, 0, 1.0)];
    let pair = Roadmap::from_edges(2, Direction::Directed, pair).unwrap();
    let (blank, worlds) = (CollisionTable::all_blocked(0, 5), [WorldId(6)]);
    let (outside, empty) = (vec![vec![VertexId(4)]], vec![vec![]]);
    let good = DatasetParts {
        table: sample.table.as_ref().map(|t| t as _),
        ..DatasetParts::new(&sample.roadmap)
    };
    let wrong = [
        DatasetParts::new(&pair),
        DatasetParts {
            roadmap: &pair,
            ..good
        },
        DatasetParts {
            table: Some(&blank),
            ..good
        },
        DatasetParts {
            train: Some(&worlds),
            ..good
        },
        DatasetParts {
            query: Some(psmp::Query {
                start: VertexId(0),
                goal: VertexId(4),
            }),
            ..good
        },
        DatasetParts {
            path_library: Some(&outside),
            ..good
        },
        DatasetParts {
            path_library: Some(&empty),
            ..good
        },
    ];
    for parts in wrong {
        let folder = tempfile::tempdir().unwrap();
        assert!(Dataset::write(folder.path(), &parts).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
    // A second dataset in the folder of a first would inherit the parts it lacks.
    let folder = tempfile::tempdir().unwrap();
    sample.write(folder.path()).unwrap();
    let error = Dataset::write(folder.path(), &good).unwrap_err();
    assert!(error.to_string().contains("is there already"), "{error}");
    sample.write(folder.path()).unwrap();
}

#[test]
fn images_are_found_by_world() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Sample::complete(Direction::Undirected);
    sample.write(folder.path()).unwrap();
    let images = Dataset::create_image_folder(folder.path()).unwrap();
    let image = Dataset::image_path_in(folder.path(), WorldId(0));
    assert_eq!(image, images.join("world_1.png"));
    for file in ["world_1.png", "world_0.png", "world_x.png", "other.png"] {
        fs::write(images.join(file), "").unwrap();
    }
    let dataset = Dataset::open(folder.path()).unwrap();
    assert_eq!(dataset.image_count().unwrap(), 1);
    assert_eq!(dataset.image_path(WorldId(0)), Some(image));
    assert_eq!(dataset.image_path(WorldId(1)), None);
}
